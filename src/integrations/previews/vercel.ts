/** Vercel's webhooks: deployments that are ready or failed. */
import { type Static, Type } from "@sinclair/typebox";
import { forges, type SourceRepository } from "../../core/forges/schema.ts";
import { cleanLine } from "../../core/lib/strings/clean-text.ts";
import { OptionalText, requireSchema } from "../incoming-webhooks/mapping.ts";
import { json, type Sender } from "../incoming-webhooks/sender.ts";
import { isHexHmac, piecesOf } from "../incoming-webhooks/signatures.ts";
import { notUsed, previewEvent, pullNumber } from "./preview-event.ts";

const Envelope = Type.Object({ type: Type.String() });

const Deployment = Type.Object({
  payload: Type.Object({
    target: OptionalText,
    deployment: Type.Object({
      id: Type.String({ minLength: 1, maxLength: 128 }),
      url: OptionalText,
      name: OptionalText,
      meta: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
    links: Type.Optional(Type.Object({ deployment: OptionalText })),
  }),
});
type Meta = NonNullable<Static<typeof Deployment>["payload"]["deployment"]["meta"]>;

/** `deployment.ready` is the older name of `deployment.succeeded`. */
const outcomes: Record<string, boolean> = {
  "deployment.succeeded": true,
  "deployment.ready": true,
  "deployment.error": false,
};

export const vercel: Sender = {
  label: "Vercel",
  docs: "/docs/forges#previews",
  media: json,
  proof: "x-vercel-signature",
  headers: {},
  isAuthentic: ({ headers, bytes }, secret) =>
    isHexHmac(headers.get("x-vercel-signature"), piecesOf(bytes), secret, { algorithm: "sha1" }),
  parse(delivery) {
    requireSchema("a Vercel webhook", Envelope, delivery.body);
    const { type } = delivery.body as Static<typeof Envelope>;
    if (!Object.hasOwn(outcomes, type)) return notUsed(`event ${cleanLine(type, 64)}`);
    requireSchema(`type: ${type}`, Deployment, delivery.body);
    const { target, deployment, links } = (delivery.body as Static<typeof Deployment>).payload;
    const { id, url, name, meta = {} } = deployment;
    const isReady = outcomes[type] === true;
    return previewEvent(delivery, {
      sender: "vercel",
      id,
      isReady,
      name,
      isProduction: target === "production",
      // The URL of a deployment has no scheme.
      url: isReady && url ? `https://${url.replace(/^https:\/\//, "")}` : links?.deployment,
      pr: pullNumber(meta.githubPrId ?? meta.gitlabPrId ?? meta.bitbucketPrId),
      repository: repositoryOf(meta),
    });
  },
};

/** The repository in the metadata that Vercel's integration with a forge adds. */
function repositoryOf(meta: Meta): SourceRepository | null {
  const text = (name: string) => (typeof meta[name] === "string" ? (meta[name] as string) : "");
  const names = {
    github: [text("githubOrg"), text("githubRepo")],
    gitlab: [text("gitlabProjectPath")],
    bitbucket: [text("bitbucketRepoOwner"), text("bitbucketRepoSlug")],
  };
  for (const forge of ["github", "gitlab", "bitbucket"] as const)
    if (names[forge].every(Boolean))
      return { forge, host: forges[forge].host, id: null, full_name: names[forge].join("/") };
  return null;
}
