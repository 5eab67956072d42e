"""Quaternions [w, x, y, z] and vectors as lists."""

import math


def times(a, b):
    (w, x, y, z), (p, q, r, s) = a, b
    return [w * p - x * q - y * r - z * s, w * q + x * p + y * s - z * r, w * r - x * s + y * p + z * q, w * s + x * r - y * q + z * p]


def inverse(q):
    return [q[0], -q[1], -q[2], -q[3]]


def apply(q, v):
    return times(times(q, [0.0, *v]), inverse(q))[1:]


def about(axis, angle):
    length = math.sqrt(sum(a * a for a in axis))
    return [math.cos(angle / 2), *(math.sin(angle / 2) * a / length for a in axis)]


def arbitrary(random):
    return about([random.gauss(0, 1) for _ in range(3)], random.uniform(0, 2 * math.pi))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def add(*vectors):
    return [sum(parts) for parts in zip(*vectors)]


def less(a, b):
    return [x - y for x, y in zip(a, b)]


def scaled(factor, v):
    return [factor * x for x in v]
