"""The programs of examples/, with the library as others have it."""
