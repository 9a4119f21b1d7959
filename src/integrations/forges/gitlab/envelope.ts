/** What the bodies of GitLab's webhooks have in common. */
import { type Static, type TObject, Type } from "@sinclair/typebox";
import { Nullable } from "../../../core/wire.ts";
import { mappingWith, ObjectId } from "../../incoming-webhooks/mapping.ts";

/** Fields that every webhook body has. */
export const envelope = {
  project: Type.Object({ id: ObjectId, path_with_namespace: Type.String(), web_url: Type.String() }),
  user: Type.Optional(Nullable(Type.Object({ id: Type.Optional(Type.Integer()), username: Type.String() }))),
};
export type Envelope = Static<TObject<typeof envelope>>;

export const defineMapping = mappingWith(envelope);
