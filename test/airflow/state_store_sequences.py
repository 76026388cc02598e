"""Plays sequences (one of JSON a line) on Airflow's own state stores, on a virtual clock.

A task's calls take the whole way: accessor of the SDK, supervisor, SDK client, execution API,
SQLite; a user's requests go to the core REST API. Prints for each sequence one line of JSON: for
each step how it ended and which rows there are. What a step is, is said in
test/airflow/state-store.ts.
"""

import asyncio
import json
import logging
import os
import sys
import uuid
from datetime import datetime, timedelta, timezone

import httpx
import structlog

structlog.configure(processors=[], logger_factory=structlog.ReturnLoggerFactory())

import airflow.models  # noqa: E402
from airflow import settings  # noqa: E402
from airflow.api_fastapi.app import create_app  # noqa: E402
from airflow.api_fastapi.auth.managers.simple.user import SimpleAuthManagerUser  # noqa: E402
from airflow.api_fastapi.core_api.routes.public import task_state_store as task_routes  # noqa: E402
from airflow.api_fastapi.core_api.security import get_user  # noqa: E402
from airflow.api_fastapi.execution_api.datamodels.token import TIClaims, TIToken  # noqa: E402
from airflow.api_fastapi.execution_api.security import _jwt_bearer  # noqa: E402
from airflow.models.asset import AssetActive, AssetModel  # noqa: E402
from airflow.models.base import Base  # noqa: E402
from airflow.sdk import NEVER_EXPIRE  # noqa: E402
from airflow.sdk.execution_time import context as sdk_context, supervisor, task_runner  # noqa: E402
from airflow.sdk.state import TaskScope  # noqa: E402
from airflow.state import metastore  # noqa: E402

logging.disable(logging.CRITICAL)
airflow.models.import_all_models()

from airflow.models.asset_state_store import AssetStateStoreModel  # noqa: E402
from airflow.models.dagrun import DagRun  # noqa: E402
from airflow.models.task_state_store import TaskStateStoreModel  # noqa: E402
from airflow.models.taskinstance import TaskInstance  # noqa: E402

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
DEFAULT_DAYS = "AIRFLOW__STATE_STORE__DEFAULT_RETENTION_DAYS"


class Clock(datetime):
    """Stands in for `datetime` where a module asks for the time."""

    at = EPOCH

    @classmethod
    def now(cls, tz=None):
        return Clock.at


class Zones:
    """Stands in for Airflow's module of time zones."""

    @staticmethod
    def utcnow():
        return Clock.at


class Airflow:
    """An Airflow with a database in its home folder, the four task instances and the two assets."""

    def __init__(self, tasks, assets):
        sdk_context.datetime = task_routes.datetime = Clock
        metastore.timezone = Zones
        Base.metadata.create_all(settings.engine)
        self.tasks, self.assets = tasks, assets
        self.ids = [uuid.uuid4() for _ in tasks]
        self.session = settings.Session()
        self.create_rows()
        api = supervisor.in_process_api_server()
        api.app.dependency_overrides[_jwt_bearer] = token_of_caller
        client = supervisor.InProcessTestSupervisor._Client(
            base_url=None, token="", dry_run=True, transport=InLoop(api.app)
        )
        client.base_url = "http://in-process.invalid./"
        self.comms = Comms(client)
        task_runner.SUPERVISOR_COMMS = self.comms
        self.rest = Rest()

    def create_rows(self):
        runs = sorted({(task["dagId"], task["runId"]) for task in self.tasks})
        for at, (dag_id, run_id) in enumerate(runs, 1):
            values = dict(id=at, dag_id=dag_id, run_id=run_id, run_type="manual", run_after=EPOCH)
            self.insert(DagRun, span_status="not_started", **values)
        for ti_id, task in zip(self.ids, self.tasks):
            key = dict(dag_id=task["dagId"], run_id=task["runId"], task_id=task["taskId"])
            key["map_index"] = task["mapIndex"]
            self.insert(TaskInstance, id=ti_id, pool="default_pool", **key)
        for at, asset in enumerate(self.assets, 1):
            self.insert(AssetModel, id=at, name=asset["name"], uri=asset["uri"], group="asset")
            self.insert(AssetActive, name=asset["name"], uri=asset["uri"])
        self.session.commit()

    def insert(self, model, **values):
        self.session.execute(model.__table__.insert().values(**values))

    def begin(self, sequence):
        Clock.at = EPOCH + timedelta(milliseconds=sequence["startsAt"])
        os.environ[DEFAULT_DAYS] = str(sequence["defaultRetentionDays"])
        for model in (TaskStateStoreModel, AssetStateStoreModel):
            self.session.execute(model.__table__.delete())
        self.session.commit()

    def play(self, step):
        try:
            return getattr(self, step["does"])(step)
        except Exception as error:
            return ["refused", f"{type(error).__name__}: {error}"[:200]]

    def store(self, step):
        Comms.caller = self.ids[step.get("task", 0)]
        if "asset" in step:
            at = step["asset"]
            by = "name" if at == 0 else "uri"
            return sdk_context.AssetStateStoreAccessor(**{by: self.assets[at][by]})
        task = self.tasks[step["task"]]
        scope = TaskScope(task["dagId"], task["runId"], task["taskId"], task["mapIndex"])
        return sdk_context.TaskStateStoreAccessor(ti_id=self.ids[step["task"]], scope=scope)

    def get(self, step):
        default = [step["default"]] if "default" in step else []
        return ["returned", self.store(step).get(step["key"], *default)]

    def set(self, step):
        options = {"retention": retention(step["retention"])} if "retention" in step else {}
        self.store(step).set(step["key"], json.loads(step["value"]), **options)
        return ["done"]

    def delete(self, step):
        self.store(step).delete(step["key"])
        return ["done"]

    def clear(self, step):
        self.store(step).clear()
        return ["done"]

    def advance(self, step):
        Clock.at += timedelta(milliseconds=step["by"])
        return ["done"]

    def sweep(self, step):
        backend = metastore.MetastoreBackend()
        expired = len(backend._summary_dry_run()["expired"])
        if not step["dryRun"]:
            backend.cleanup()
        return ["returned", expired]

    def request(self, step):
        response = self.rest.request(step["method"], step["path"], step.get("body"))
        status = response.status_code
        return ["status", status, response.json() if status == 200 else None]

    def rows(self):
        self.session.rollback()
        found = []
        for row in self.session.query(TaskStateStoreModel):
            key = (row.dag_id, row.run_id, row.task_id, row.map_index)
            place = ["task", [tuple(task.values()) for task in self.tasks].index(key)]
            found.append([*place, *entry(row), ms(row.expires_at), ms(row.updated_at), None])
        for row in self.session.query(AssetStateStoreModel):
            writer = row.last_updated_by_task_id or row.last_updated_by_kind
            place = ["asset", row.asset_id - 1]
            found.append([*place, *entry(row), None, ms(row.updated_at), writer])
        return found


class Comms:
    """What a task process has to talk to its supervisor; the supervisor is in the same process."""

    caller = None

    def __init__(self, client):
        log = structlog.get_logger()
        self.supervisor = supervisor.InProcessTestSupervisor(
            id=uuid.uuid4(), pid=os.getpid(), process=None, process_log=log, client=client
        )
        self.supervisor.comms = supervisor.InProcessSupervisorComms(supervisor=self.supervisor)

    def send(self, message):
        return self.supervisor.comms.send(message)


class InLoop(httpx.BaseTransport):
    """Sends requests to an app in this process; any path arrives as a server would read it."""

    loop = asyncio.new_event_loop()

    def __init__(self, app):
        self.transport = httpx.ASGITransport(app=app)
        self.lifespan = app.router.lifespan_context(app)
        self.loop.run_until_complete(self.lifespan.__aenter__())

    def handle_request(self, request):
        return self.loop.run_until_complete(self.respond(request))

    async def respond(self, request):
        response = await self.transport.handle_async_request(request)
        kind = {"content-type": response.headers.get("content-type", "")}
        content = await response.aread()
        return httpx.Response(response.status_code, headers=kind, content=content)


class Rest:
    """A client of the core REST API, as a user that may do everything."""

    def __init__(self):
        app = create_app(apps="core")
        user = SimpleAuthManagerUser(username="user", role="admin")
        app.dependency_overrides[get_user] = lambda: user
        self.client = httpx.Client(transport=InLoop(app), base_url="http://in-process.invalid")

    def request(self, method, path, body):
        headers = {} if body is None else {"content-type": "application/json"}
        return self.client.request(method, f"/api/v2{path}", content=body, headers=headers)


async def token_of_caller():
    """Says which task calls: the one whose step is played."""
    return TIToken(id=Comms.caller, claims=TIClaims(scope="execution"))


def entry(row):
    return [row.key, row.value]


def retention(given):
    if given == "never":
        return NEVER_EXPIRE
    return timedelta(**given) if isinstance(given, dict) else given


def ms(instant):
    return None if instant is None else (instant - EPOCH) // timedelta(milliseconds=1)


def main():
    first, *rest = sys.stdin
    here = json.loads(first)
    airflow = Airflow(here["tasks"], here["assets"])
    print("{}")
    for line in rest:
        sequence = json.loads(line)
        airflow.begin(sequence)
        print(json.dumps([[airflow.play(step), airflow.rows()] for step in sequence["steps"]]))


if __name__ == "__main__":
    main()
