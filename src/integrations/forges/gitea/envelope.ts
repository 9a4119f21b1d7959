/** What the bodies of Gitea's webhooks have in common. */
import { type Static, type TObject, Type } from "@sinclair/typebox";
import { mappingWith, ObjectId } from "../../incoming-webhooks/mapping.ts";

/** Fields that every webhook body has. */
export const envelope = {
  repository: Type.Object({ id: ObjectId, full_name: Type.String(), html_url: Type.String() }),
  sender: Type.Object({ id: Type.Optional(Type.Integer()), login: Type.String() }),
};
export type Envelope = Static<TObject<typeof envelope>>;

export const defineMapping = mappingWith(envelope);
