import { nats } from "../../../../sim/brokers/nats/model.ts";
import { type CorrectProducer, correctOn, planted, type PlantedBug } from "../planted-bug.ts";
import { type JetStreamPort, type NatsPayload, NatsProducer } from "./nats-producer.ts";

/** P-96: the server hears nothing until the work is done. */
class NeverSaysItWorks extends NatsProducer {
  override beat(): void {}
}

/** P-98: gives back what was held at once. */
class GivesBackAtOnce extends NatsProducer {
  override hold({ message }: NatsPayload): void {
    message.nak();
  }
}

/** P-98: terminates the rejected, and keeps no copy. */
class TerminatesTheRejected extends NatsProducer {
  override reject({ message }: NatsPayload): Promise<void> {
    message.term("rejected");
    return Promise.resolve();
  }
}

/** P-100: keeps what failed, and says that the work goes on, while nothing else may go out. */
class KeepsTheFailed extends NatsProducer {
  override hold(payload: NatsPayload): void {
    this.held.set(payload.seq, payload);
  }
}

/** P-102: what was sent counts as done; the copy that comes again is passed over. */
class TrustsWhatItSent extends NatsProducer {
  readonly #done = new Set<number>();

  override settle({ message, seq }: NatsPayload): Promise<void> {
    message.ack();
    this.#done.add(seq);
    return Promise.resolve();
  }

  override take(message: Parameters<NatsProducer["take"]>[0]): NatsPayload | undefined {
    return this.#done.has(message.seq) ? undefined : super.take(message);
  }
}

type NatsClass = new (client: JetStreamPort) => NatsProducer;

function bug(
  id: string,
  guarantees: readonly string[],
  Class: NatsClass,
  broker = nats(),
): PlantedBug {
  return planted(id, guarantees, broker, ({ client }) => new Class(client));
}

export const NATS_CORRECT: CorrectProducer = correctOn(
  "an explicit consumer",
  nats(),
  ({ client }) => new NatsProducer(client),
);

export const NATS_BUGS: readonly PlantedBug[] = [
  bug("P-96", ["G9"], NeverSaysItWorks),
  bug("P-98 without a delay", ["hot-loop"], GivesBackAtOnce),
  bug("P-98 terminates", ["G3"], TerminatesTheRejected),
  bug("P-99", ["G1", "G2"], NatsProducer, nats({ maxDeliver: 2 })),
  bug("P-100", ["G8"], KeepsTheFailed, nats({ maxAckPending: 1 })),
  bug("P-101", ["G1", "G2"], NatsProducer, nats({ ackPolicy: "none" })),
  // A lane for each message, where one acknowledgement reaches all before it.
  bug("P-101 with AckAll", ["G7"], NatsProducer, nats({ ackPolicy: "all" })),
  bug("P-102", ["G8", "progress"], TrustsWhatItSent),
];
