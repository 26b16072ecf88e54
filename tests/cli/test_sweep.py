"""`polhode sweep`: plans as files."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import polhode as ph
from polhode.cli.main import main

pytest.importorskip("zarr")
pytest.importorskip("xarray", minversion="2024.11")

PLAN = """
problem = "heavy-top"
method = "VLV"
h = 0.02
n_steps = 20
out = "sweep.zarr"
[over]
inertia = [[1, 2, 2.5], [1.5, 2, 2.5]]
[over.draw]
draws = 5
rng = 3
Omega0 = { normal = [0, 0, 1], spread = 0.1 }
"""


def test_a_plan_is_swept_and_gone_on_with(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.toml").write_text(PLAN)
    assert main(["sweep", "plan.toml", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["bodies"] == 10 and told["failed"] == told["missing"] == 0
    s = ph.open_sweep("sweep.zarr")
    p = ph.problem("heavy-top").replaced(inertia=(1.5, 2, 2.5), Omega0=s.Omega0.values[2])
    assert np.array_equal(s.Omega_final[1, 2], ph.solve(p, "VLV", h=0.02, n_steps=20).Omega[-1])
    assert main(["sweep", "sweep.zarr"]) == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("problem =", "cannot be read"),
        ('problem = "stress"', "over"),
        ('problem = "stress"\nspeed = 3\n[over]\nh=[1]', "speed"),
        (PLAN.replace("out =", "# out ="), "no store"),
        (PLAN.replace("{ normal = [0, 0, 1], spread = 0.1 }", '"somehow"'), "The draw of Omega0"),
    ],
)
def test_bad_plans_get_a_sentence(text, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.toml").write_text(text)
    assert main(["sweep", "plan.toml"]) == 2
    assert words in capsys.readouterr().err


MINE = """
import polhode as ph

def torque(t, Q, p):
    return p.k * Q[2, 1], -p.k * Q[2, 0], 0.0

body = ph.Problem(inertia=(1, 2, 2.5), torque=torque, parameters={"k": 1.0}, Omega0=(0.1, 0.2, 1))
"""
SWEEP = """
import polhode as ph, mine
from polhode.machine import COMPILED
ph.sweep(mine.body, over={"k": [1.0, 2.0, 3.0]}, method="LP2", h=0.1, n_steps=3)
print(sum(not from_cache for _, from_cache in COMPILED))
"""


def test_processes_fill_one_cache_at_once_and_a_sweep_finds_it(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    begin = {
        "cwd": tmp_path,
        "stdout": subprocess.PIPE,
        "text": True,
        "env": os.environ | {"POLHODE_CACHE": str(tmp_path / "cache")},
    }
    warm = [sys.executable, "-m", "polhode", "warm-cache", "--problems", "mine:body", "--methods", "LP2", "--json"]
    both = [subprocess.Popen(warm, **begin) for _ in range(2)]
    told = [json.loads(process.communicate()[0]) for process in both]
    assert all(process.returncode == 0 for process in both) and max(t["compiled"] for t in told) > 0
    swept = subprocess.run([sys.executable, "-c", SWEEP], check=True, **begin)
    assert swept.stdout.split() == ["0"]  # nothing was left to compile
