import { type Utf8Bytes, utf8Bytes } from "../../../src/platform/mod.ts";
import type { GroupState } from "./kafka-group.ts";
import type { KafkaGroups } from "./kafka-groups.ts";

/** What the coordinator says of a group, with the interface of the library's own. */
export interface GroupDescription {
  readonly errorCode: number;
  readonly groupId: string;
  readonly state: GroupState;
  readonly protocolType: string;
  readonly protocol: string;
  readonly members: GroupMember[];
}

export interface GroupMember {
  readonly memberId: string;
  readonly clientId: string;
  readonly clientHost: string;
  readonly memberMetadata: Utf8Bytes;
  readonly memberAssignment: Utf8Bytes;
}

/** What clients are called unless they say otherwise. */
const CLIENT_ID = "kafkajs";

/** The bytes of its members are empty: the library encodes them for its own. */
export function descriptionOf(groups: KafkaGroups, groupId: string): GroupDescription {
  const state = groups.stateOf(groupId);
  const isStable = state === "Stable";
  return {
    errorCode: 0,
    groupId,
    state,
    protocolType: state === "Dead" ? "" : "consumer",
    protocol: isStable ? "RoundRobinAssigner" : "",
    members: groups.membersOf(groupId).map((memberId) => ({
      ...{ memberId, clientId: CLIENT_ID, clientHost: "/127.0.0.1" },
      ...{ memberMetadata: utf8Bytes(""), memberAssignment: utf8Bytes("") },
    })),
  };
}
