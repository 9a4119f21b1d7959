/** Hooks of a machine without a connection, where SVC_URL and SVC_TOKEN are set, as in a cloud session. */
import type { HookInput } from "../../src/integrations/agent-hooks/agent-hooks.ts";
import type { HookedAgent } from "../../src/integrations/agent-hooks/hooked-agents.ts";
import { sentFields } from "../../src/integrations/agent-hooks/sent-fields.ts";
import { gitEmail, gitPlace, originOf } from "../repository/git-place.ts";

/** Whether the environment names a server to give hooks to. */
export const hasForwardTarget = (): boolean => Boolean(process.env.SVC_URL && process.env.SVC_TOKEN);

/**
 * Gives a hook to the server of SVC_URL, which knows the project by its repository.
 * @param waitMs how long to wait for the answer, in milliseconds
 * @returns what the agent reads; empty without the variables, or without an answer in time
 */
export async function forwardHook(
  agent: HookedAgent,
  hook: string,
  input: HookInput,
  folder: string,
  waitMs: number,
): Promise<string> {
  const server = process.env.SVC_URL;
  const token = process.env.SVC_TOKEN;
  if (!server || !token) return "";
  const origin = originOf(folder);
  const place = {
    "svc-repository": origin && `https://${origin.host}/${origin.path}`,
    "svc-branch": gitPlace(folder).branch,
    "svc-email": gitEmail(folder),
    "svc-task": process.env.SVC_TASK,
  };
  const headers = new Headers({ authorization: `Bearer ${token}`, "content-type": "application/json" });
  for (const [name, value] of Object.entries(place))
    if (value) headers.set(name, Buffer.from(value).toString("latin1"));
  const fields = sentFields.flatMap((name) => (typeof input[name] === "string" ? [[name, input[name]]] : []));
  const url = `${server.replace(/\/+$/, "")}/api/hooks/agents/${agent}?hook=${encodeURIComponent(hook)}`;
  const body = JSON.stringify(Object.fromEntries(fields));
  const signal = AbortSignal.timeout(waitMs);
  const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
  return response.ok ? response.text() : "";
}
