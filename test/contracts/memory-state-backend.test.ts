import { MemoryStateBackend } from "../../src/store/mod.ts";
import { stateBackendContract } from "./state-backend.contract.ts";

stateBackendContract("MemoryStateBackend", () => new MemoryStateBackend(), 200);
