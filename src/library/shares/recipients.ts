/** Whom links are made for: people by a label, or each by a name and, to mail it, an address. */
import { badRequest } from "../../core/problem.ts";
import { visibleName } from "./guest.ts";
import type { ShareRow } from "./rows.ts";
import type { NewShare, Recipient } from "./schema.ts";

/** One link. */
export interface LinkFor extends Pick<ShareRow, "recipient" | "reviewer" | "name_source"> {
  /** Where it is mailed to. It is not stored. */
  email: string | null;
}

/** The links to make. @throws {Problem} 400 unless the people are named one way, and each once */
export function linksFor({ recipient, recipients }: Pick<NewShare, "recipient" | "recipients">): LinkFor[] {
  if ((recipient === undefined) === (recipients === undefined))
    throw badRequest("Pass recipient for one link, or recipients for a link for each person, not both.");
  if (recipient !== undefined) return [{ recipient, reviewer: null, name_source: "typed", email: null }];
  const links = (recipients ?? []).map(({ name: given, email = null }): LinkFor => {
    const name = visibleName(given);
    if (name === "") throw badRequest("recipients: a name has no visible characters.");
    return { recipient: name, reviewer: name, name_source: email === null ? "recipient" : "mailed", email };
  });
  const twice = firstRepeated(links.map((link) => link.recipient)) ?? firstRepeated(links.map(addressOf));
  if (twice !== null) throw badRequest(`recipients: ${twice} is there twice. Each person gets one link.`);
  return links;
}

const addressOf = ({ email }: LinkFor): string | null => email;

function firstRepeated(texts: readonly (string | null)[]): string | null {
  const keys = texts.map((text) => text?.toLowerCase());
  return texts.find((text, at) => text !== null && keys.indexOf(keys[at]) < at) ?? null;
}

/**
 * The recipients in typed text, separated by commas or lines: one without an address is a label, and several,
 * or one as `Ana <ana@example.com>`, are people.
 */
export function readRecipients(text: string): Pick<NewShare, "recipient" | "recipients"> {
  const parts = text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter(Boolean);
  const people = parts.map(readRecipient);
  return people.length > 1 || people.some(({ email }) => email !== undefined)
    ? { recipients: people }
    : { recipient: text.trim() };
}

function readRecipient(text: string): Recipient {
  const [, name = "", email] = /^([^<>]*)<([^<>]*)>$/.exec(text) ?? [];
  return email === undefined ? { name: text } : { name: name.trim() || email, email: email.trim() };
}
