# ruff: noqa: F403
from catalog import *
