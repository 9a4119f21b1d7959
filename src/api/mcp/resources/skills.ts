/** Skills over MCP: the extension `io.modelcontextprotocol/skills` (SEP-2640, final). */
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import type { Config } from "../../../core/config.ts";
import { listSkills, type Skill } from "../../well-known/skills.ts";

const root = "skill://svc/";
const uriOf = ({ name }: Skill): string => `${root}${name}/SKILL.md`;

/** The entry of a skill, which has one file. */
function entryOf(skill: Skill) {
  const { frontmatter, text } = skill;
  const digest = `sha256:${new Bun.CryptoHasher("sha256").update(text).digest("hex")}`;
  return {
    uri: uriOf(skill),
    frontmatter,
    resources: [{ uri: uriOf(skill), digest, size: Buffer.byteLength(text) }],
  };
}

/** Every skill: they are fewer than a page. */
export const skillEntries = (config: Config) => listSkills(config).map(entryOf);

/** @throws ProtocolError for the URI of no skill */
export function skillEntry(config: Config, uri: string): ReturnType<typeof entryOf> {
  const entry = skillEntries(config).find((one) => one.uri === uri);
  if (entry) return entry;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `No skill at ${uri}. Call skills/list for the available skills.`,
  );
}

/** The file of a skill; null for a URI of another scheme. @throws ResourceNotFoundError */
export function readSkill(config: Config, uri: string): ReadResourceResult | null {
  if (!uri.startsWith("skill://")) return null;
  const skill = listSkills(config).find((one) => uriOf(one) === uri);
  if (!skill) throw new ResourceNotFoundError(uri, `No skill at ${uri}. Call skills/list for the skills.`);
  return { contents: [{ uri, mimeType: "text/markdown", text: skill.text }] };
}
