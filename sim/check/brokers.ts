import { kafka } from "../brokers/kafka/kafka-model.ts";

/** The broker models, by the name that `--broker` takes. */
export const brokers: { readonly kafka: typeof kafka } = Object.freeze({ kafka });
