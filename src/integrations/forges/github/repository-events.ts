/** GitHub webhooks that add no event: a renamed or transferred repository, and the ping. */
import { type Static, Type } from "@sinclair/typebox";
import { Nullable } from "../../../core/wire.ts";
import { OptionalText } from "../../incoming-webhooks/mapping.ts";
import { envelope } from "./envelope.ts";

const Login = Type.Optional(Nullable(Type.Object({ login: Type.String() })));

/** A repository was renamed or transferred; `full_name` is the new name. */
export const RepositoryEvent = Type.Object({
  action: Type.String(),
  changes: Type.Optional(
    Type.Object({
      repository: Type.Optional(Type.Object({ name: Type.Object({ from: Type.String() }) })),
      owner: Type.Optional(Type.Object({ from: Type.Object({ user: Login, organization: Login }) })),
    }),
  ),
  ...envelope,
});
export type RepositoryEvent = Static<typeof RepositoryEvent>;

/** Returns `owner/name` from before a rename or transfer, or null for any other action. */
export function previousName({ action, changes, repository }: RepositoryEvent): string | null {
  const [owner, name] = repository.full_name.split("/");
  const from = changes?.owner?.from;
  const formerOwner = (from?.user ?? from?.organization)?.login;
  if (action === "renamed" && changes?.repository) return `${owner}/${changes.repository.name.from}`;
  return action === "transferred" && formerOwner ? `${formerOwner}/${name}` : null;
}

/** The first delivery of a new webhook. It lists the events the webhook is set up to send. */
export const Ping = Type.Object({
  hook: Type.Optional(Type.Object({ events: Type.Array(Type.String()) })),
  // An organization's webhook has no repository.
  repository: Type.Optional(envelope.repository),
  zen: OptionalText,
});
export type Ping = Static<typeof Ping>;
