/** Agent skills (discovery schema 0.2.0): instructions for an agent's three jobs. */
import type { Config } from "../../core/config.ts";
import { paths } from "../../core/info.ts";
import address from "./skills/address-a-rejection.md" with { type: "text" };
import start from "./skills/start-a-task.md" with { type: "text" };
import upload from "./skills/upload-a-result.md" with { type: "text" };

const templates = [start, upload, address];

export interface Frontmatter {
  name: string;
  description: string;
}

export interface Skill {
  name: string;
  description: string;
  path: string;
  text: string;
  /** The whole head of the file, as it is. */
  frontmatter: Frontmatter;
}

/** The skills of `/.well-known/agent-skills/index.json`. */
export function listSkills({ siteUrl }: Pick<Config, "siteUrl">): Skill[] {
  return templates.map((template) => {
    const text = template.replaceAll("{base_url}", siteUrl + paths.api).replaceAll("{site_url}", siteUrl);
    const head = Bun.YAML.parse(text.split("---\n")[1] ?? "") as Frontmatter;
    const { name, description } = head;
    return { name, description, path: `/.well-known/agent-skills/${name}/SKILL.md`, text, frontmatter: head };
  });
}

/** Returns the index of skills, with the SHA-256 of each file as served. */
export const skillsIndex = (config: Config) => ({
  $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
  skills: listSkills(config).map(({ name, description, path, text }) => ({
    name,
    type: "skill-md",
    description,
    url: path,
    digest: `sha256:${new Bun.CryptoHasher("sha256").update(text).digest("hex")}`,
  })),
});
