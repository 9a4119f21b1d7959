/** What the claims of a provider say of a person. */

export type Claims = Readonly<Record<string, unknown>>;

/** The claim with this name or, for `realm_access.roles`, at this path. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  const at = (value: unknown, key: string) =>
    typeof value === "object" && value !== null && Object.hasOwn(value, key)
      ? (value as Claims)[key]
      : undefined;
  return name.split(".").reduce<unknown>(at, claims);
}

/** The groups in a claim; null if these claims do not have it. */
export function groupsOf(claims: Claims, name: string): string[] | null {
  const value = claimAt(claims, name);
  if (value === undefined || value === null) return null;
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");
}

/** The email address in these claims, unless the provider says that it is not verified. @param known without one */
export function emailOf({ email, email_verified }: Claims, known: string | null = null): string | null {
  if (typeof email !== "string" || email === "") return known;
  return email_verified === false ? null : email;
}

/** Bytes of the name of an actor. */
const nameBytesMax = 120;

/**
 * The name that a person goes by: their user name, or the first part of their email address. Characters that
 * the name of an actor cannot have are left out.
 */
export function nameOf(claims: Claims): string {
  const { preferred_username, email, name, sub } = claims;
  const given = [preferred_username, email, name, sub].find((one) => typeof one === "string" && one !== "");
  const [local = ""] = String(given).split("@");
  const clean = local.normalize("NFC").replace(/[^\p{L}\p{N}._-]+/gu, "-");
  const bytes = new TextEncoder().encode(clean).subarray(0, nameBytesMax);
  return new TextDecoder().decode(bytes).replace(/\ufffd/g, "") || "person";
}
