import { assertModelled } from "../not-modelled.ts";
import { type CheckpointStore, isCheckpointStore } from "./checkpoint-store.ts";
import type { LoadBalancingOptions } from "./balancing.ts";
import { SEE } from "./event.ts";

/** How a client is set up. */
export interface EventHubConsumerClientOptions {
  /** Names the client as the owner of partitions; drawn by default. */
  readonly identifier?: string;
  /** How it shares the partitions with others. */
  readonly loadBalancingOptions?: LoadBalancingOptions;
}

/** A credential of `@azure/identity`; the model asks it for no token. */
export interface EventHubCredential {
  /** Resolves with a token. */
  getToken(
    scopes: string | string[],
    options?: object,
  ): Promise<{ readonly token: string; readonly expiresOnTimestamp: number } | null>;
}

/** What the constructors of the clients take behind the connection string or the host. */
export type ClientArgument = string | object | undefined;

export interface ClientArguments {
  readonly namespace: string;
  readonly eventHub: string;
  readonly store: CheckpointStore | undefined;
  readonly options: EventHubConsumerClientOptions;
}

const BALANCING = ["strategy", "updateIntervalInMs", "partitionOwnershipExpirationIntervalInMs"];

/**
 * Reads the arguments of a client's constructor in each of its forms.
 *
 * @throws {TypeError} when there is no name of a hub
 * @throws {NotModelled} for an option that the model would have to ignore
 */
export function argumentsFrom(
  call: string,
  host: string,
  given: readonly ClientArgument[],
): ClientArguments {
  const { Endpoint: endpoint, EntityPath: entityPath } = connectionFrom(host);
  const eventHub = given.find((one) => typeof one === "string") ?? entityPath;
  if (eventHub === undefined) {
    throw new TypeError(
      `Either provide "eventHubName" or the "connectionString": "${host}", must contain "EntityPath=<your-event-hub-name>".`,
    );
  }
  const objects = given.filter((one) => typeof one === "object");
  const store = objects.find((one) => isCheckpointStore(one));
  const options: EventHubConsumerClientOptions =
    objects.find((one) => !isCheckpointStore(one) && !isCredential(one)) ?? {};
  assertModelled(call, options, ["identifier", "loadBalancingOptions"], SEE);
  assertModelled(call, options.loadBalancingOptions ?? {}, BALANCING, SEE);
  const namespace = (endpoint ?? host).replace(/^[a-z]+:\/\//, "").replace(/\/$/, "");
  return { namespace, eventHub, store, options };
}

function connectionFrom(text: string): {
  readonly Endpoint?: string;
  readonly EntityPath?: string;
} {
  const pairs = text.split(";").map((part) => part.split(/=(.*)/s));
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined)) as object;
}

/** Source: @azure/core-auth, isTokenCredential, isNamedKeyCredential and isSASCredential */
function isCredential(given: object): boolean {
  return "getToken" in given || ("name" in given && "key" in given) || "signature" in given;
}
