/** What the plugins of all agents hold. */
import { type HookedAgent, hookNames } from "../../integrations/agent-hooks/hooked-agents.ts";
import { sentFields } from "../../integrations/agent-hooks/sent-fields.ts";
import { listSkills } from "../well-known/skills.ts";
import script from "./svc-hook.sh" with { type: "text" };

/** Path in the plugin → text, or what is its JSON. */
export type PluginFiles = Record<string, string | object>;

export const license = "Apache-2.0";
/** The variables in which agents have the server and the token. */
export const urlVariable = "SVC_URL";
export const tokenVariable = "SVC_TOKEN";
export const urlText = "URL of the svc server, such as https://svc.example.com";
export const tokenText =
  "Token of the role agent, limited to your project: svc token create NAME --role agent";

/** Stands for the deployment in the skills of a plugin for any, which the user's own settings name. */
const exampleSite = "https://svc.example.com";

/** Sets the server of a deployment for a command of a shell; empty for a plugin that asks for one. */
export const siteVariable = (siteUrl: string | null): string =>
  siteUrl === null ? "" : `${urlVariable}='${siteUrl.replaceAll("'", "%27")}' `;

/** Gives a hook to svc, with the program or without it. */
export const hookScript: string = script.replace("{fields}", sentFields.join("|"));

/** The entries of the hooks of an agent that svc reads. @param entryFor the name of a hook → its entry */
export const hookEntries = (agent: HookedAgent, entryFor: (event: string) => object): object =>
  Object.fromEntries(
    hookNames(agent).map(({ event, ...matcher }) => [event, [{ ...matcher, ...entryFor(event) }]]),
  );

/** Path in a plugin → text of the skill. */
export const skillsOf = (siteUrl: string | null): Record<string, string> =>
  Object.fromEntries(
    listSkills({ siteUrl: siteUrl ?? exampleSite }).map(({ name, text }) => [
      `skills/${name}/SKILL.md`,
      text,
    ]),
  );

/** The text of a file of a plugin. */
export const fileText = (content: string | object): string =>
  typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`;
