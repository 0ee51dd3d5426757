"""How much memory a process of its own held at most, as source that the process begins with."""

#: defines `peak_megabytes()`. On Linux `ru_maxrss` begins with the peak of the process that started this one
PEAK = """
def peak_megabytes():
    import resource, sys
    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 2**20
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) // 2**10 for line in status if line.startswith("VmHWM:"))
"""
