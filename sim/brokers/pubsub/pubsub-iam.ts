import { type Refusing, refusingAll } from "../not-modelled.ts";

/** The access control of a topic or a subscription, which the model refuses by name. */
export type PubSubIam = Readonly<
  Record<"getPolicy" | "setPolicy" | "testPermissions", Refusing>
> & { readonly id: string };

export function iamOf(owner: string): PubSubIam {
  const calls = ["getPolicy", "setPolicy", "testPermissions"] as const;
  return { id: owner, ...refusingAll(`${owner}.iam`, calls, "brokers.pubsub") };
}
