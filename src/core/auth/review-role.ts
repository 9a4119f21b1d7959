/** What the reviews of a token or a share link count for. */

import { Type } from "@sinclair/typebox";

export const ReviewRole = Type.String({
  pattern: "^[a-z0-9][a-z0-9-]{0,31}$",
  description: "Review role of tokens and share links, or the role `reviewer` or `admin`.",
  examples: ["design"],
});
