"""The Managed Lustre instance."""
