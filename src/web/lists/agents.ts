/** A filter by agent, which takes any form of a name. */
import { actorName } from "../../core/auth/actor-name.ts";
import type { FilterField } from "./fields.tsx";

/** @param known the agents of runs, such as `agent:codex` */
export function agentField(known: readonly string[]): FilterField {
  const sameName = (value: string) => known.filter((one) => actorName(one) === actorName(value));
  return {
    label: "Agent",
    options: known,
    // Two agents of one name are told apart by their kind.
    nameOf: (value) => (sameName(value).length > 1 ? value : actorName(value)),
    optionOf(value) {
      const [only, another] = sameName(value);
      return only && !another && !known.includes(value) ? only : value;
    },
  };
}
