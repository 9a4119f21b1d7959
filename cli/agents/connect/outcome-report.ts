/** Says what `svc connect` did and checked. */
import type { Agent } from "../../../src/core/agents/agents.ts";
import { note } from "../../output/report.ts";
import type { ConnectRequest, Outcome } from "./connect-agent.ts";

/** @returns what is wrong; null if every check passed */
export function reportOutcome(agent: Agent, outcome: Outcome, request: ConnectRequest): string | null {
  const { files, notes, checks, project, server } = outcome;
  for (const line of notes) note(request, `Note: ${line}`);
  if (checks === null) {
    note(request, `${agent.label}: nothing was written.`);
    return null;
  }
  const faults = checks.filter(({ fault }) => fault !== null);
  const passed = checks.filter(({ fault, pending }) => fault === null && !pending).map(({ name }) => name);
  const changed = files.filter((file) => file.changed).length;
  const changes = changed === 0 ? "nothing to change" : `${changed} file${changed > 1 ? "s" : ""} changed`;
  note(request, `${agent.label} is connected to ${project} on ${server} (${changes}).`);
  const undo = `svc disconnect ${agent.id}${outcome.scope === "user" ? "" : " --scope project"}`;
  note(request, `Checked: ${passed.join(", ") || "nothing"}. Undo with ${undo}.`);
  for (const { name, pending } of checks) if (pending) note(request, `Not checked yet: ${name}. ${pending}`);
  if (faults.length === 0) return null;
  return `${agent.label}: ${faults.map(({ name, fault }) => `${name}: ${fault}`).join("; ")}`;
}
