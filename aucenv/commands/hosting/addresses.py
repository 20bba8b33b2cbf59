"""The address at which people reach a host, and whether other machines can."""

from __future__ import annotations

import contextlib
import ipaddress
import socket

OUTSIDE: dict[int, str] = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses of no machine, outside of every network, by the family of their sockets."""


def is_open(listening: socket.socket) -> bool:
    """Return whether other machines may reach a listening socket."""
    return not ipaddress.ip_address(listening.getsockname()[0].partition("%")[0]).is_loopback


def outside_address(family: int) -> str:
    """Return the address under which other machines reach this one; its name if it is in no network.

    Args:
        family: that of the listening socket; one for IPv6 that listens at all networks accepts IPv4, too.
    """
    for kind in dict.fromkeys((family, socket.AF_INET)):
        with contextlib.suppress(OSError), socket.socket(kind, socket.SOCK_DGRAM) as probe:
            probe.connect((OUTSIDE[kind], 9))  # the socket is one for datagrams: nothing is sent
            return str(probe.getsockname()[0])
    return socket.gethostname()


def address_of(listening: socket.socket, is_secure: bool) -> str:
    """Return the address of the page of a listening socket; at all networks, one that other machines reach."""
    host, port = listening.getsockname()[:2]
    shown = outside_address(listening.family) if ipaddress.ip_address(host.partition("%")[0]).is_unspecified else host
    return f"{'https' if is_secure else 'http'}://{f'[{shown}]' if ':' in shown else shown}:{port}/"
