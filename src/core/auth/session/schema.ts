/** Schemas of the sessions that people see of their own. */
import { type Static, Type } from "@sinclair/typebox";
import { Count, DateTime, Name, Nullable } from "../../wire.ts";

const SessionId = Name(16, "^[0-9a-f]{16}$", {
  description: "Id of a session.",
  examples: ["9f86d081884c7d65"],
});

export const OwnSession = Type.Object(
  {
    id: SessionId,
    device: Nullable(
      Type.String({ description: "Browser and system, as they say.", examples: ["Chrome on Windows"] }),
    ),
    opened_at: DateTime(),
    used_at: Nullable(DateTime({ description: "Last use, rounded to a quarter of an hour." })),
    expires_at: DateTime(),
    from_link: Type.Boolean({ description: "Opened with a sign-in link." }),
    current: Type.Boolean({ description: "The session of this request." }),
  },
  { $id: "Session", description: "A signed-in browser." },
);
export type OwnSession = Static<typeof OwnSession>;

export const OwnSessions = Type.Object(
  { sessions: Type.Array(OwnSession, { description: "That of the request first, then the latest opened." }) },
  { $id: "Sessions" },
);
export type OwnSessions = Static<typeof OwnSessions>;

export const SessionPath = Type.Object({ id: SessionId });
export type SessionPath = Static<typeof SessionPath>;

export const EndedSessions = Type.Object({ ended: Count("Sessions that ended.", 1) });
export type EndedSessions = Static<typeof EndedSessions>;
