"""All that one run measured."""

from dataclasses import dataclass

from bench.anatomy import FunctionCost
from bench.bands import Band
from bench.baseline import Baseline
from bench.clients import Throughput
from bench.http import HttpCost
from bench.ingesting import Ingest
from bench.load import LoadReport
from bench.measure import Latency, Recall
from bench.pages import PagesWritten
from bench.peers import Peers
from bench.upkeep import ColdStart, Vacuum


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """One run."""

    chunks: int
    width: int
    seed: int
    machine: dict[str, str]
    seconds: float
    load: LoadReport
    latency: Latency
    recall: list[Recall]
    bands: list[Band]
    keyword_recall: Recall
    pages: list[PagesWritten]
    functions: list[FunctionCost]
    chunking_mb_per_second: float
    bytes: dict[str, int]
    vector_index_bytes: int
    plain: Baseline
    throughput: list[Throughput]
    http: HttpCost
    ingest: Ingest
    peers: Peers
    cold_start: ColdStart
    vacuum: Vacuum
