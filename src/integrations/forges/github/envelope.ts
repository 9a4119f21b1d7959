/** What the bodies of GitHub's webhooks have in common. */
import { type Static, type TObject, Type } from "@sinclair/typebox";
import { Nullable, TaskNumber } from "../../../core/wire.ts";
import { mappingWith, ObjectId, OptionalText } from "../../incoming-webhooks/mapping.ts";

/** Fields that every webhook body has. */
export const envelope = {
  repository: Type.Object({ id: ObjectId, full_name: Type.String(), html_url: OptionalText }),
  sender: Type.Object({ login: Type.String(), type: OptionalText }),
};
export type Envelope = Static<TObject<typeof envelope>>;

export const defineMapping = mappingWith(envelope);

export const PullRequests = Type.Optional(
  Nullable(
    Type.Array(
      Type.Object({ number: TaskNumber, base: Type.Object({ repo: Type.Object({ id: ObjectId }) }) }),
    ),
  ),
);

/** GitHub also lists pull requests of forks that have a branch with this name. */
export const ownPull = (pulls: Static<typeof PullRequests> | undefined, repository: number): number | null =>
  pulls?.find(({ base }) => base.repo.id === repository)?.number ?? null;
