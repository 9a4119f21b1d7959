/** The names under which people act, and the pseudonyms that others see instead of them. */
import { actorName } from "../auth/actor-name.ts";
import { grants } from "../auth/scopes.ts";
import type { CoreContext } from "../context.ts";

type Needs = Pick<CoreContext, "config" | "data" | "secret">;

export interface PersonNames {
  /** By name: the person whose it is, null if that is not known. */
  persons: ReadonlyMap<string, string | null>;
  pseudonymOf(name: string): string;
  /** The name of a pseudonym. */
  nameOf(pseudonym: string): string | undefined;
}

/** Longer ones collide with none of a million names. */
const digitsLength = 6;
const digits = "bcdfghjkmnpqrstvwxyz23456789";

/** Of the secret of the deployment: the same on each server, and readers cannot compute it from a name. */
function pseudonym(secret: string, name: string): string {
  const hash = new Bun.CryptoHasher("sha256", secret).update(`pseudonym of ${name}`).digest();
  const letters = [...hash.subarray(0, digitsLength)].map((byte) => digits[byte % digits.length]);
  return `person-${letters.join("")}`;
}

/** What pages read beside operations passes the door twice. */
export const isPseudonym = (name: string): boolean => /^person-[a-z2-9]{6}$/.test(name);

/** People, those who sign in or act on a forge, and tokens that have an owner or can review. */
export async function loadPersonNames({ config, data, secret }: Needs): Promise<PersonNames> {
  const [people, tokens, humans] = await Promise.all([data.people(), data.tokens(), data.humanActors()]);
  const persons = new Map<string, string | null>();
  for (const actor of humans) persons.set(actorName(actor), null);
  for (const { name, scopes, owner } of [...config.tokens.values(), ...tokens].map(toOwned))
    if (owner !== null || grants(scopes, "assets:review")) persons.set(name, owner);
  for (const { id, identities } of people)
    for (const name of [id, ...identities.map((identity) => identity.slice(identity.indexOf(":") + 1))])
      persons.set(name, id);
  const names = new Map([...persons.keys()].map((name) => [pseudonym(secret, name), name]));
  return {
    persons,
    pseudonymOf: (name) => pseudonym(secret, name),
    nameOf: (text) => names.get(text),
  };
}

const toOwned = (token: { name: string | null; scopes: Iterable<string>; owner?: string | null }) => ({
  name: token.name ?? "",
  scopes: new Set(token.scopes) as Parameters<typeof grants>[0],
  owner: token.owner ?? null,
});
