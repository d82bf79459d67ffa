#!/usr/bin/env python3
"""Fails unless the host loops in a program compute with vectors.

vectorized.py OBJDUMP PROGRAM MOST FEWEST SET... reads the program's code with objdump. In a loop that -O2 vectorized,
arithmetic is packed; only what the loop computes once, and the rest behind its blocks, is scalar: at most MOST times as
many operations. Loops that call fma() cannot be vectorized: a few functors of doubles have them, for processors without
the instruction. The program must have FEWEST loops, so that none goes unseen once it is built or named in another way.
SET... are the loops' instruction sets, as their names have them.
"""
import re
import subprocess
import sys

FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
LOOP = re.compile(rf"^void (nozzle::detail::(?:{'|'.join(sys.argv[5:])})_loop<.*>)\(unsigned long, ")
ARITHMETIC = re.compile(r"\tv?(?:add|sub|mul|div|min|max|fn?m(?:add|sub)\d{3})([sp])[sd]\s")
CALL = re.compile(r"<fmaf?[@>]")
MOST = float(sys.argv[3])
FEWEST = int(sys.argv[4])

loops = {}
current = None
command = [sys.argv[1], "--disassemble", "--demangle", "--no-show-raw-insn", sys.argv[2]]
with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as objdump:
    for line in objdump.stdout:
        function = FUNCTION.match(line)
        if function:
            loop = LOOP.match(function[1])
            current = loops.setdefault(loop[1], {"s": 0, "p": 0, "fma": 0}) if loop else None
        elif current is not None:
            operation = ARITHMETIC.search(line)
            if operation:
                current[operation[1]] += 1
            current["fma"] += bool(CALL.search(line))
if objdump.returncode != 0:
    sys.exit(f"{command[0]} failed")


def is_scalar(count):
    return count["fma"] == 0 and (count["p"] == 0 or count["s"] > MOST * count["p"])


scalar = {name: count for name, count in loops.items() if is_scalar(count)}
for name, count in scalar.items():
    print(f"not vectorized: {name}: {count['s']} scalar operations, {count['p']} packed")
print(f"{len(loops)} loops, {len(scalar)} of them not vectorized")
if len(loops) < FEWEST:
    print(f"a program has at least {FEWEST}")
sys.exit(1 if scalar or len(loops) < FEWEST else 0)
