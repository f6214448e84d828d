#!/usr/bin/env python3
"""Writes vectors.json: what SciPy and statsmodels answer to the questions that the formulas of kernel-bench answer.

Run with Python, SciPy and statsmodels installed: `python3 make.py`. The versions that made the file stand in it.
"""

import json
import math
import pathlib

import numpy
import scipy
import statsmodels
from scipy import stats
from scipy.optimize import brentq
from statsmodels.stats.meta_analysis import combine_effects
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import DescrStatsW
from statsmodels.tsa.stattools import acf

generator = numpy.random.default_rng(20261130)


def plain(value):
    """NumPy values as JSON values, floats with all their digits."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, numpy.ndarray)):
        return [plain(entry) for entry in value]
    return float(value) if isinstance(value, numpy.floating) else value


def student():
    probabilities = [1e-9, 1e-6, 0.0005, 0.003125, 0.025, 0.2, 0.5, 0.8, 0.975, 0.99375, 0.9999, 0.999999]
    freedoms = [1, 2, 3, 4, 5, 7, 9, 11.37, 15, 23, 23.7, 50, 100, 499.5, 1000, 1e5, 1e6]
    points = [-40.0, -8.0, -3.0, -0.1, 0.0, 0.3, 1.0, 2.0, 7.0, 40.0]
    return {
        "quantiles": [[p, f, stats.t.ppf(p, f)] for f in freedoms for p in probabilities],
        "tails": [[t, f, stats.t.cdf(t, f), stats.t.sf(t, f)] for f in freedoms for t in points],
    }


def samples():
    drawn = [
        generator.normal(0.02, 0.01, 6),
        generator.normal(-0.01, 0.03, 10),
        generator.standard_t(3, 16) * 0.02,
        generator.lognormal(0, 0.5, 24),
        generator.normal(0, 1e-6, 7) + 3,
        numpy.array([1.0, 2.0]),
        numpy.array([1.0, 2.0, 2.0, 5.0, 9.0]),
    ]
    answers = []
    for values in drawn:
        interval = stats.ttest_1samp(values, 0).confidence_interval(0.9875)
        answers.append({
            "values": values,
            "mean": numpy.mean(values),
            "variance": numpy.var(values, ddof=1),
            "median": numpy.median(values),
            "quantile_0.3": numpy.quantile(values, 0.3),
            "interquartile_range": stats.iqr(values),
            "deviation": stats.median_abs_deviation(values, scale="normal"),
            "autocorrelation": acf(values, nlags=1, fft=False)[1],
            "error": stats.sem(values),
            "low": interval.low,
            "high": interval.high,
            "p_above": stats.ttest_1samp(values, 0.01, alternative="greater").pvalue,
            "p_below": stats.ttest_1samp(values, -0.01, alternative="less").pvalue,
            "p_differs": stats.ttest_1samp(values, 0.005).pvalue,
            "p_within": DescrStatsW(values).ttost_mean(-0.02, 0.02)[0],
        })
    return answers


def welch():
    answers = []
    for first, second, sizes in ((0.02, 0.01, (6, 10)), (0.001, 0.1, (24, 6)), (1.0, 1.0, (3, 3))):
        left, right = generator.normal(0.05, first, sizes[0]), generator.normal(0.02, second, sizes[1])
        test = stats.ttest_ind(left, right, equal_var=False)
        interval = test.confidence_interval(0.95)
        answers.append({
            "first": left, "second": right, "difference": left.mean() - right.mean(), "freedom": test.df,
            "p": test.pvalue, "low": interval.low, "high": interval.high,
        })
    return answers


def holm():
    lists = [
        [0.01, 0.04, 0.03, 0.005],
        [0.5],
        [0.02, 0.02, 0.02],
        list(generator.uniform(0, 0.1, 12)),
        list(generator.uniform(0, 1, 5)) + [1e-12],
    ]
    return [{"p": p, "adjusted": multipletests(p, 0.05, method="holm")[1]} for p in lists]


def pooled():
    answers = []
    for effects, errors in (
        ([0.05, 0.04, 0.06], [0.01, 0.02, 0.015]),
        ([0.05, 0.30, -0.10, 0.20, 0.07], [0.01, 0.02, 0.015, 0.05, 0.03]),
        ([0.011, 0.012, 0.010, 0.0115], [0.01, 0.02, 0.015, 0.03]),
    ):
        result = combine_effects(numpy.array(effects), numpy.array(errors) ** 2, method_re="dl", use_t=True)
        # statsmodels lets the variance between machines become negative; what is meant then is the one with none.
        kind = "re" if result.tau2 > 0 else "fe"
        low, high = result.conf_int(alpha=0.05, use_t=True)[3 if kind == "re" else 2]
        answers.append({
            "effects": effects, "errors": errors, "mean": getattr(result, f"mean_effect_{kind}"),
            "between": max(0.0, result.tau2), "error": getattr(result, f"sd_eff_w_{kind}_hksj"), "low": low, "high": high,
        })
    return answers


def detectable():
    """The equation of kernel-bench solved by a root finder."""
    answers = []
    for freedom in (2, 5, 9, 23, 199):
        for level in (0.025, 0.00625, 0.0005):
            t, z = stats.t.ppf(1 - level, freedom), stats.norm.ppf(0.8)
            k = 4 * freedom / (4 * freedom + 1)
            v = 1 - k * k
            answers.append([freedom, level, brentq(
                lambda c: (c - t) * k - z * math.sqrt(1 + (c * c + t * t) * v), t, 1000 * t, xtol=1e-12)])
    return answers


def modes():
    """Every split tried, the slow way."""
    answers = []
    for values in (
        generator.normal(0, 1, 40),
        generator.uniform(0, 1, 60),
        numpy.concatenate([generator.normal(0, 0.01, 30), generator.normal(0.15, 0.01, 10)]),
        numpy.array([1.0, 1.0, 1.0, 2.0]),
    ):
        ordered = numpy.sort(values)
        total = ((ordered - ordered.mean()) ** 2).sum()
        best = max(
            (
                1 - sum(((part - part.mean()) ** 2).sum() for part in (ordered[:cut], ordered[cut:])) / total,
                ordered[cut:].mean() - ordered[:cut].mean(),
                min(cut, len(ordered) - cut) / len(ordered),
            )
            for cut in range(1, len(ordered))
        )
        answers.append({"values": values, "explained": best[0], "gap": best[1], "smaller": best[2]})
    return answers


made_by = {"numpy": numpy.__version__, "scipy": scipy.__version__, "statsmodels": statsmodels.__version__}
vectors = {
    "made_by": made_by, "student": student(), "samples": samples(), "welch": welch(), "holm": holm(),
    "pooled": pooled(), "modes": modes(), "detectable": detectable(),
}
path = pathlib.Path(__file__).with_name("vectors.json")
path.write_text(json.dumps(plain(vectors), indent=None, separators=(",", ":")).replace("],[", "],\n[") + "\n")
