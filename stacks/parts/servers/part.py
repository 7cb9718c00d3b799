"""Model servers."""

from stacks.parts.part import Part
from stacks.parts.servers.advice import advice, links
from stacks.parts.servers.rules import RULES, references

PART = Part(key="servers", rules=RULES, references=references, advice=(advice, links))
