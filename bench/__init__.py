"""A seeded bench of the search: ratios measured in one run on one server."""

import os

# the matrices are small: numpy's helper threads cost more than they bring, and several times as
# much where the processors are busy
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
