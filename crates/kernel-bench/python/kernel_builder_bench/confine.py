"""Takes away what the project's code has no business with: the network, and more memory than the machine has.

Both happen before any of that code runs, and neither is needed for a result: where the system does not allow it, the answer
says so.
"""

import ctypes
import os
import resource
import sys

_NEW_USER = 0x10000000
_NEW_NETWORK = 0x40000000


def limit_memory(bytes_allowed):
    """Allocations beyond this fail inside the process, instead of bringing the machine down."""
    try:
        resource.setrlimit(resource.RLIMIT_DATA, (bytes_allowed, bytes_allowed))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ValueError, OSError):
        return False
    return True


def leave_network():
    """Moves the process into a network of its own that leads nowhere. It must have one thread only."""
    if not sys.platform.startswith("linux"):
        return False
    user, group = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_NETWORK) == 0:
        return True
    if libc.unshare(_NEW_USER | _NEW_NETWORK) != 0:
        return False
    # Files must go on belonging to the same user.
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        try:
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
        except OSError:
            pass
    return True
