/** Which groups of the identity provider have which role, and in which projects. */
import { isRole, type Role } from "../scopes.ts";

export interface AccessRule {
  /** `*` for everyone who can sign in at the provider. */
  group: string;
  role: Role;
  /** Null for all. */
  projects: readonly string[] | null;
}

const ruleShape = /^([^=,;]+)=([a-z]+)(?:@([a-z0-9._+-]+))?$/;

/** Parses `admins=admin; design=reviewer@atlas+borealis; *=reader`; undefined if it is malformed. */
export function parseAccessRules(text: string): readonly AccessRule[] | undefined {
  const rules: AccessRule[] = [];
  for (const part of text.split(/[;,]/).map((one) => one.trim())) {
    if (part === "") continue;
    const [, group, role, projects] = ruleShape.exec(part) ?? [];
    if (!group || !role || !isRole(role)) return undefined;
    rules.push({ group: group.trim(), role, projects: projects?.split("+") ?? null });
  }
  return rules;
}

/**
 * The first rule that names one of the groups. Rules are not added up: the scopes of one and the projects of
 * another would grant what neither does.
 */
export const accessOf = (rules: readonly AccessRule[], groups: readonly string[]): AccessRule | null =>
  rules.find(({ group }) => group === "*" || groups.includes(group)) ?? null;
