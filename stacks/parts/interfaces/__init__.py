"""The networks of nodes' further interfaces."""
