# ruff: noqa: F403
# The library under the name that it has once it is installed, for a type checker in the tree.
from components import *
