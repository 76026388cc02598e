"""Runs cases (one of JSON a line) through Airflow's own ResumableJobMixin.

Prints for each case one line of JSON: for each attempt what was called, counted, traced, logged and
stored, and how it ended. What a case is, is said in test/airflow/resumable-job.ts.
"""

import json
import sys

import airflow.sdk.bases.resumablejobmixin as mixin
from airflow.sdk import BaseOperator
from airflow.sdk.bases.resumablejobmixin import ResumableJobMixin


class Planned(Exception):
    """What a case says is raised."""


class Observation:
    """What was seen of one attempt; stands in for tracer, span, counters and logger."""

    def __init__(self):
        self.calls, self.counted, self.logged, self.span = [], [], [], {}

    def start_as_current_span(self, name):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def set_attribute(self, name, value):
        self.span[name] = value

    def incr(self, name, tags):
        self.counted.append(name)

    def debug(self, message, **values):
        self.logged.append("debug")

    def info(self, message, **values):
        self.logged.append("info")

    def warning(self, message, **values):
        self.logged.append("warn")


class Store:
    def __init__(self, values, attempt, calls):
        self.values, self.attempt, self.calls = values, attempt, calls

    def get(self, key, default=None):
        self.calls.append(["get", key])
        if self.attempt["getFails"]:
            raise Planned("get")
        return self.values.get(key, default)

    def set(self, key, value):
        self.calls.append(["set", key, value])
        if self.attempt["setFails"]:
            raise Planned("set")
        self.values[key] = value


class Job(ResumableJobMixin, BaseOperator):
    # What the case says of this attempt, and what is seen of it.
    attempt = seen = log = None

    def execute(self, context):
        return self.execute_resumable(context)

    def submit_job(self, context):
        return self.play("submit")

    def get_job_status(self, external_id, context):
        return self.play("status", external_id)

    def is_job_active(self, status):
        self.play("active", status)
        return status in ("RUNNING", "PENDING")

    def is_job_succeeded(self, status):
        self.play("succeeded", status)
        return status == "SUCCEEDED"

    def poll_until_complete(self, external_id, context):
        return self.play("poll", external_id)

    def get_job_result(self, external_id, context):
        return self.play("result", external_id)

    def play(self, method, *given):
        self.seen.calls.append([method, *given])
        if method in self.attempt["raises"]:
            raise Planned(method)
        return self.attempt.get(method)


def run(case, key, attempt, values):
    seen = Observation()
    mixin.tracer = mixin.stats = seen
    Job.attempt, Job.seen, Job.log = attempt, seen, seen
    job = Job(task_id="load", durable=case["durable"])
    job.external_id_key = key
    context = {"task_state_store": Store(values, attempt, seen.calls)} if case["hasStore"] else {}
    try:
        ended = ["returned", job.execute_resumable(context)]
    except Planned as error:
        ended = ["raised", str(error)]
    observed = {name: getattr(seen, name) for name in ("calls", "counted", "logged", "span")}
    return {**observed, "ended": ended, "stored": dict(values)}


def main():
    for line in sys.stdin:
        case = json.loads(line)
        values = {} if case["stored"] is None else {case["attempts"][0]["key"]: case["stored"]}
        print(json.dumps([run(case, each["key"], each, values) for each in case["attempts"]]))


if __name__ == "__main__":
    main()
