import { describeEditedTraces } from "./edited-traces.ts";

describeEditedTraces("tasks");
