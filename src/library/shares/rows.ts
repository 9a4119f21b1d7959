/** The rows of share links, and of the log of what people did with them. */

import type { Micros } from "../../core/lib/time.ts";
import type { AssetKind } from "../assets/schema.ts";
import type {
  NameSource,
  ShareAction,
  ShareAnnotations,
  ShareFollows,
  ShareRights,
  ShareSubject,
} from "./schema.ts";

export interface ShareRow {
  id: string;
  /** SHA-256 of the secret in the URL. */
  hash: string;
  project: string;
  subject: ShareSubject;
  /** Of the subject `asset`: the id of the version that was shared. */
  asset: string | null;
  /** The id of its first version. */
  root_id: string | null;
  /** Of the subject `set`. */
  set: string | null;
  /** Of the subject `queue`: only assets of this kind, and with this tag. */
  kind: AssetKind | null;
  tag: string | null;
  follows: ShareFollows;
  rights: ShareRights;
  annotations: ShareAnnotations;
  role: string | null;
  recipient: string;
  name_source: NameSource;
  expires_at: Micros;
  /** Argon2id hash. */
  passphrase: string | null;
  allow_download: boolean;
  created_by: string;
  /** Name of the creator's token; null for an admin without one. */
  creator: string | null;
  created_at: Micros;
  revoked_at: Micros | null;
  revoked_by: string | null;
  /**
   * The name of the person whom it was made for, or else that its first verdict came with. Others cannot use
   * it: one link is one reviewer.
   */
  reviewer: string | null;
  views: number;
}

/** Everything else is fixed when a share is created. */
export type ShareChange = Partial<
  Pick<ShareRow, "recipient" | "name_source" | "expires_at" | "reviewer" | "creator">
>;

export interface ShareViewRow {
  share: string;
  /** Entries with the same slot are counted in one row. */
  slot: string;
  at: Micros;
  action: ShareAction;
  count: number;
  name: string | null;
  /** Prefix of the IP address. */
  network: string;
  asset: string | null;
  sha256: string | null;
}

/** An attempt to open a share with a passphrase. */
export interface ShareAttemptRow {
  id: string;
  share: string;
  /** SHA-256 of the client's network. */
  client: string;
  at: Micros;
}
