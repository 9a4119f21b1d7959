/** What the bodies of GitLab's webhooks have in common. */
import { type Static, type TObject, Type } from "@sinclair/typebox";
import { Nullable } from "../../../core/wire.ts";
import { mappingWith, ObjectId } from "../../incoming-webhooks/mapping.ts";

/** Fields that every webhook body has. */
const envelope = {
  project: Type.Object({ id: ObjectId, path_with_namespace: Type.String(), web_url: Type.String() }),
  user: Type.Optional(Nullable(Type.Object({ id: Type.Optional(Type.Integer()), username: Type.String() }))),
};
export type Envelope = Static<TObject<typeof envelope>>;

export const defineMapping = mappingWith(envelope);

/** GitLab writes times in three ways, depending on the field and the version. */

const spacedTime = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?) (UTC|[+-]\d\d:?\d\d)$/;

/**
 * Returns `2016-08-12 15:23:28 UTC`, `2021-04-28 21:50:00 +0200` or an ISO time as ISO time in UTC, so that
 * the same time in another form is equal; null for anything else.
 */
export function gitlabTime(text: string | null | undefined): string | null {
  const [, date, time, zone] = spacedTime.exec(text ?? "") ?? [];
  const iso = date ? `${date}T${time}${zone === "UTC" ? "Z" : zone}` : (text ?? "");
  const ms = /^\d{4}-\d\d-\d\dT/.test(iso) ? Date.parse(iso) : Number.NaN;
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
