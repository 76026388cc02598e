"""Plays scripts (one of JSON a line) on Airflow's own shared-stream manager, on a virtual clock.

Prints for each script one line of JSON: for each step the lines to compare, as `linesFrom` in
test/golden/script.ts makes them. What the operations mean is said in test/golden/README.md.
"""

import asyncio
import contextvars
import heapq
import json
import logging
import selectors
import sys

import structlog

structlog.configure(processors=[], logger_factory=structlog.ReturnLoggerFactory())
logging.disable(logging.CRITICAL)

from airflow.triggers.base import BaseEventTrigger  # noqa: E402
from airflow.triggers.shared_stream import (  # noqa: E402
    SharedStreamManager,
    SharedStreamProducer,
    reject_shared_stream_event,
)

KINDS = {
    "_SubscriberOverflow": "overflow",
    "AckTimeout": "ackTimeout",
    "_PollTerminated": "pollTerminated",
    "poll failed": "pollFailed",
    "advance failed": "advanceFailed",
    "lane failed": "laneFailed",
    "factory failed": "factoryFailed",
}

# Between two items of a burst the subscribers get their turn: JavaScript's loop awaits each item.
TURNS_BETWEEN_ITEMS = 8


class NeverWaiting(selectors.SelectSelector):
    """Returns at once: time passes only when the script says so."""

    def select(self, timeout=None):
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is moved by hand, in whole milliseconds."""

    def __init__(self):
        super().__init__(NeverWaiting())
        self.now = 0.0
        # Sums of a cadence like 0.1 s are off by less.
        self._clock_resolution = 1e-6
        self.set_exception_handler(lambda loop, context: None)

    def time(self):
        return self.now

    def drain(self):
        """Runs until nothing is left to run at this time."""
        while self._ready or self._is_due(self.now):
            self._run_once()

    def pass_time(self, seconds):
        """Moves the time; timers fire in order on the way."""
        end = self.now + seconds
        while self._is_due(end):
            self.now = max(self.now, round(self._scheduled[0].when(), 3))
            self.drain()
        self.now = end
        self.drain()

    def _is_due(self, time):
        while self._scheduled and self._scheduled[0].cancelled():
            heapq.heappop(self._scheduled)._scheduled = False
        return bool(self._scheduled) and self._scheduled[0].when() <= time + self._clock_resolution


class ScriptedProducer(SharedStreamProducer):
    """Yields, fails, settles and closes as a script says, and reports each."""

    def __init__(self, key, stage):
        self.key = key
        self.stage = stage
        self.items = []
        self.ending = None
        self.arrival = asyncio.Event()
        self.released = None

    async def open_stream(self):
        self.stage.see("open", self.key)
        while True:
            if self.items:
                item = self.items.pop(0)
                yield item["raw"], item
                for _ in range(TURNS_BETWEEN_ITEMS):
                    await asyncio.sleep(0)
            elif self.ending == "pollFail":
                raise RuntimeError("poll failed")
            elif self.ending == "pollEnd":
                return
            else:
                self.arrival.clear()
                await self.arrival.wait()

    def get_advance_lane(self, broker_payload):
        if broker_payload["lane"] == "boom":
            raise RuntimeError("lane failed")
        return broker_payload["lane"]

    async def advance(self, batch):
        items = [
            [payload["raw"], outcome.acked, outcome.failed, outcome.rejected, outcome.is_clean]
            for payload, outcome in batch
        ]
        self.stage.see("advance", self.key, batch[0].broker_payload["lane"], items)
        mode = self.stage.modes.get(self.key, "ok")
        if mode == "block":
            self.released = self.stage.loop.create_future()
            mode = await self.released
        if mode == "raise":
            raise RuntimeError("advance failed")

    async def aclose(self):
        self.stage.see("aclose", self.key)


class Subscriber:
    """Pulls when the script says so, each time in the context of one task, as a filter would."""

    def __init__(self, stream):
        self.stream = stream
        self.context = contextvars.copy_context()
        self.pull = None


class Stage:
    """One manager, its subscribers and its scripted producers."""

    def __init__(self, loop, config):
        self.loop = loop
        self.manager = SharedStreamManager(
            max_subscriber_queue=config["maxSubscriberQueue"],
            ack_timeout=config["ackTimeoutSeconds"],
            cohort_grace_period=config["cohortGraceSeconds"],
            _now=loop.time,
        )
        self.seen = []
        self.subscribers = {}
        self.producers = {}
        self.modes = {}
        self.failing_factories = set()
        self.bound = []

    def see(self, *seen):
        self.seen.append(seen)

    def perform(self, step):
        self.seen = []
        self._act(step)
        self.loop.drain()
        if step["op"] == "tick":
            self.loop.pass_time(step["seconds"])
        return lines_from(self.seen, self.manager._groups)

    def _act(self, step):
        op, trigger_id, key = step["op"], step.get("id"), step.get("key")
        place = (trigger_id, key)
        producer = self.producers.get(key)
        if op == "subscribe":
            self._subscribe(trigger_id, key)
        elif op == "pull":
            self._pull(place)
        elif op == "reject":
            if place in self.subscribers:
                self.subscribers[place].context.run(reject_shared_stream_event)
        elif op == "produce":
            if producer:
                producer.items += step["items"]
                producer.arrival.set()
        elif op == "bind":
            seq = self.manager.bind_pending_event(trigger_id=trigger_id, key=key)
            self.bound.append(seq)
            self.see("bound", trigger_id, key, seq is not None)
        elif op == "confirm":
            bound = [self.bound[at] for at in step["binds"] if at < len(self.bound)]
            self.manager.confirm_persisted(seq for seq in bound if seq is not None)
        elif op == "unsubscribe":
            gone = self.subscribers.pop(place, None)
            if gone and gone.pull:
                gone.pull.cancel()
            self._watch(self.manager.unsubscribe(trigger_id, key), "unsubscribed", *place)
        elif op == "mode":
            self.modes[key] = step["mode"]
        elif op == "release":
            if producer and producer.released and not producer.released.done():
                producer.released.set_result(step["with"])
        elif op in ("pollFail", "pollEnd"):
            if producer:
                producer.ending = producer.ending or op
                producer.arrival.set()
        elif op == "factoryFail":
            (self.failing_factories.add if step["on"] else self.failing_factories.discard)(key)
        elif op == "stopAll":
            self._watch(self.manager.stop_all(), "stopped")
        elif op != "tick":
            raise ValueError(f"there is no op {op!r}")

    def _subscribe(self, trigger_id, key):
        try:
            stream = self.manager.subscribe(
                trigger_id=trigger_id, trigger=self._create_trigger(key), key=key
            )
            self.subscribers[trigger_id, key] = Subscriber(stream)
        except Exception:
            self.see("subscribeError", trigger_id, key)

    def _pull(self, place):
        subscriber = self.subscribers.get(place)
        if subscriber is None or (subscriber.pull and not subscriber.pull.done()):
            return

        async def pull():
            try:
                event = await anext(subscriber.stream)
            except StopAsyncIteration:
                return
            except Exception as error:
                self.see("error", *place, kind_from(error))
            else:
                self.see("event", *place, event)

        subscriber.pull = self.loop.create_task(pull(), context=subscriber.context)

    def _watch(self, act, *seen):
        async def watch():
            await act
            self.see(*seen)

        self.loop.create_task(watch())

    def _create_trigger(self, key):
        stage = self

        class Trigger(BaseEventTrigger):
            def serialize(self):
                return "scripted.Trigger", {}

            async def run(self):
                yield

        if key == "fast":

            async def open_shared_stream(cls, kwargs):
                async for raw, _ in stage._create_producer(key).open_stream():
                    yield raw

            Trigger.open_shared_stream = classmethod(open_shared_stream)
        else:

            def create_shared_stream_producer(cls, kwargs):
                if key in stage.failing_factories:
                    raise RuntimeError("factory failed")
                return stage._create_producer(key)

            Trigger.create_shared_stream_producer = classmethod(create_shared_stream_producer)
        return Trigger()

    def _create_producer(self, key):
        self.producers[key] = ScriptedProducer(key, self)
        return self.producers[key]


def kind_from(error):
    name = type(error).__name__
    return KINDS.get(name) or KINDS.get(str(error)) or f"{name}: {error}"


def lines_from(seen, groups):
    ordered, unordered = {}, {}
    for what, *fields in seen:
        texts = [text_of(field) for field in fields]
        if what in ("event", "error"):
            subscriber = f"subscriber {texts[0]} of {texts[1]}"
            ordered.setdefault(subscriber, []).append(f"{what} {texts[2]}")
        elif what == "advance":
            lane = f"advance of {texts[0]} in lane {texts[1]}"
            ordered.setdefault(lane, []).extend(text_of(item) for item in fields[2])
        else:
            unordered.setdefault(what, []).append(" ".join(texts))
    ordered.update((what, sorted(texts)) for what, texts in unordered.items())
    lines = sorted(f"{name}: {', '.join(texts)}" for name, texts in ordered.items())
    return [*lines, f"groups: {' '.join(sorted(groups))}"]


def text_of(value):
    return json.dumps(value, separators=(",", ":"))


def main():
    for line in sys.stdin:
        script = json.loads(line)
        loop = VirtualLoop()
        # What run_forever() does; this loop is run by hand.
        asyncio._set_running_loop(loop)
        stage = Stage(loop, script["config"])
        print(json.dumps([stage.perform(step) for step in script["steps"]]), flush=True)


if __name__ == "__main__":
    main()
