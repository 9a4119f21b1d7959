/** Creating share links: one, or one for each of several people. */
import { ulid } from "ulid";
import { actorOf } from "../../core/auth/actor.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { minuteMicros } from "../../core/lib/time.ts";
import { badRequest, Problem } from "../../core/problem.ts";
import { requireProject } from "../../feed/projects/projects.ts";
import { requireAsset } from "../assets/library.ts";
import type { LibraryContext, LibraryRule } from "../context.ts";
import { mayActAs, tokenNameOf } from "./access.ts";
import { announceShare } from "./announce.ts";
import { hashPassphrase } from "./passphrase.ts";
import { linksFor } from "./recipients.ts";
import type { ShareRow } from "./rows.ts";
import type { NewProjectShare, NewShare, Share } from "./schema.ts";
import { generateShareSecret, sharePath } from "./secret.ts";
import { expiryOf, toShare } from "./shares.ts";

/** A link that was just created: only now its URL is known. */
export interface NewLink {
  share: Share;
  url: string;
  /** Where it is to be mailed. */
  email: string | null;
}

/** Links for named people that one creator can make in an hour: each can be a mail. */
const namedPerHour = 60;
const hourMicros = 60 * minuteMicros;

/**
 * Creates links to an asset.
 * @throws {Problem} 404 for an unknown asset, and as `addShares`
 */
export const createShare: LibraryRule<NewShare, NewLink[]> = async (
  ctx,
  { id, follows = "fixed", ...fields },
  caller,
) => {
  const { project, root_id } = await requireAsset(ctx, id, caller);
  const subject = { subject: "asset", asset: id, root_id, set: null, kind: null, tag: null } as const;
  return addShares(ctx, { ...subject, project, follows }, fields, caller);
};

/**
 * Creates links to a variant set, or to the review queue of a project.
 * @throws {Problem} 404 for an unknown project, 400 for a set with filters or without variants, and as
 *   `addShares`
 */
export const createProjectShare: LibraryRule<NewProjectShare, NewLink[]> = async (
  ctx,
  { slug, ...input },
  caller,
) => {
  const { set = null, kind = null, tag = null, ...fields } = input;
  const { slug: project } = await requireProject(ctx.data, slug, caller);
  if (set !== null && (kind ?? tag) !== null)
    throw badRequest("kind and tag are for the review queue, not a set.");
  if (set !== null && (await ctx.data.variants(project, set, 1)).length === 0)
    throw badRequest(`${project} has no set named ${set}.`);
  const subject = set === null ? "queue" : "set";
  const of = { subject, project, asset: null, root_id: null, set, kind, tag, follows: "latest" } as const;
  return addShares(ctx, of, fields, caller);
};

type Subject = Pick<
  ShareRow,
  "subject" | "project" | "asset" | "root_id" | "set" | "kind" | "tag" | "follows"
>;

/**
 * Adds links. What they allow is never more than their creator may do, and ends with the creator's token.
 * @throws {Problem} 400 for a role that the creator does not have, bad recipients or a bad expiry, 429 for
 *   too many people
 */
async function addShares(
  ctx: LibraryContext,
  subject: Subject,
  input: Omit<NewShare, "id" | "follows">,
  caller: Caller,
): Promise<NewLink[]> {
  const { rights = "view", annotations = "own", role = null, passphrase } = input;
  if (role !== null && !mayActAs(caller, role))
    throw badRequest(`role: you do not have the role ${role} yourself. Leave it out.`);
  const people = linksFor(input);
  const expires_at = expiryOf(ctx, input.expires_at);
  const created_at = ctx.now();
  const created_by = actorOf(caller, undefined);
  const common = {
    ...subject,
    rights,
    annotations,
    role,
    expires_at,
    allow_download: input.allow_download ?? false,
    passphrase: passphrase === undefined ? null : await hashPassphrase(passphrase),
    created_by,
    creator: tokenNameOf(ctx, caller),
    created_at,
    revoked_at: null,
    revoked_by: null,
    views: 0,
  };
  const links = people.map(({ email, ...person }) => {
    const { secret, hash } = generateShareSecret();
    const row: ShareRow = { id: ulid(Math.floor(created_at / 1_000)), hash, ...common, ...person };
    return { row, email, url: `${ctx.config.siteUrl}${sharePath}/${secret}` };
  });
  await ctx.data.atomically(async (writes) => {
    if (input.recipients) {
      const before = await writes.countNamedShares(created_by, created_at - hourMicros);
      if (before + links.length > namedPerHour)
        throw new Problem(
          429,
          `You can create ${namedPerHour} links for named people in an hour. Try again later.`,
          { "retry-after": "3600" },
        );
    }
    for (const { row } of links) {
      await writes.addShare(row);
      await announceShare(ctx, writes, row);
    }
    return { id: links[0]?.row.id, project: subject.project };
  });
  return links.map(({ row, email, url }) => ({ share: toShare(row, "active"), email, url }));
}
