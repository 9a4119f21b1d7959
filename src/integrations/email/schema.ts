/** Schemas of email digests. */
import { type Static, Type } from "@sinclair/typebox";
import { Choice, DateTime, EmailAddress, Line, Name, Nullable, Slug } from "../../core/wire.ts";

export const digestPeriods = ["daily", "weekly"] as const;
export type DigestPeriod = (typeof digestPeriods)[number];

/** `pending`: not confirmed yet. `paused`: it cannot be sent; `problem` says why. */
const digestStatuses = ["pending", "active", "paused"] as const;
export type DigestStatus = (typeof digestStatuses)[number];

const Address = EmailAddress("Email address of one person or list.", "ana@example.com");
const Period = Choice(digestPeriods, {
  description: "`daily`: at `hour`. `weekly`: on Monday at `hour`.",
  examples: ["daily"],
});
const Hour = Type.Integer({ minimum: 0, maximum: 23, description: "Hour of the day, UTC.", examples: [7] });

const DigestId = Name(26, "^[0-9A-HJKMNP-TV-Z]{26}$", {
  description: "Id of a digest.",
  examples: ["01KC3V0W6ZJ8M5T9Q2R4X7Y1AB"],
});

export const EmailDigest = Type.Object(
  {
    id: DigestId,
    address: Address,
    period: Period,
    hour: Hour,
    project: Nullable(Slug),
    owner: Nullable(
      Line(128, {
        description: "Name of the token that added it: what that token may read limits what it shows.",
        examples: ["ana"],
      }),
    ),
    status: Choice(digestStatuses, {
      description:
        "`pending`: the address did not confirm yet. `active`: it is sent. `paused`: it cannot be sent.",
      examples: ["active"],
    }),
    problem: Nullable(Type.String({ description: "Why the last attempt failed.", examples: [null] })),
    created_at: DateTime(),
    next_at: Nullable(DateTime({ description: "When it is sent next; null unless it is active." })),
  },
  { $id: "EmailDigest", description: "A digest that is sent by email." },
);
export type EmailDigest = Static<typeof EmailDigest>;

export const EmailDigests = Type.Object({ digests: Type.Array(EmailDigest) }, { $id: "EmailDigests" });
export type EmailDigests = Static<typeof EmailDigests>;

export const EmailDigestInput = Type.Object({
  address: Address,
  period: Period,
  hour: Type.Optional(Hour),
  project: Type.Optional(Slug),
});
export type EmailDigestInput = Static<typeof EmailDigestInput>;

export const EmailDigestPath = Type.Object({ id: DigestId });
export type EmailDigestPath = Static<typeof EmailDigestPath>;

export const EmailDigestRemoved = Type.Object({ id: DigestId, removed: Type.Boolean() });
export const EmailDigestSent = Type.Object({ id: DigestId, sent: Type.Boolean() });

export const TestMailInput = Type.Object({ address: Address });
export type TestMailInput = Static<typeof TestMailInput>;
export const TestMailSent = Type.Object({ address: Address, sent: Type.Boolean() });
export type TestMailSent = Static<typeof TestMailSent>;
