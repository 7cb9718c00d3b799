"""The divisors of a number, found in the square root of its steps: a config may ask for a trillion
samples. Pure."""

from math import isqrt


def divisors(number: int) -> list[int]:
    """In order, from 1 to the number itself, which is at least 1."""
    small = [it for it in range(1, isqrt(number) + 1) if number % it == 0]
    return sorted({*small, *(number // it for it in small)})


def largest_divisor(number: int, at_most: int) -> int:
    return max(it for it in divisors(number) if it <= at_most)
