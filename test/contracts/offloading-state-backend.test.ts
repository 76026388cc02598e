import {
  MemoryPayloadStore,
  MemoryStateBackend,
  OffloadingStateBackend,
} from "../../src/store/mod.ts";
import { stateBackendContract } from "./state-backend.contract.ts";

stateBackendContract(
  "OffloadingStateBackend with every value outside",
  () => {
    const inner = new MemoryStateBackend();
    const payloads = new MemoryPayloadStore();
    const client = (): OffloadingStateBackend =>
      new OffloadingStateBackend(inner, payloads, { inlineCharsMax: 0 });
    return { clients: [client(), client()] };
  },
  100,
);
