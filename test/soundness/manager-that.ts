import { createManagerOf } from "../../sim/worlds/manager/profiles.ts";
import type { ManagerFactory } from "../../sim/worlds/stage.ts";

const plain = createManagerOf("faultlane");

/** The kit's manager, whose host does something else as well when it starts. */
export function managerThat(act: () => void): ManagerFactory {
  return (host, settings, observer) => {
    act();
    return plain(host, settings, observer);
  };
}
