/** Something that was made beside code: a chain of versions, each with what its reviewer said. */
export interface Version {
  review?: "approved" | "rejected";
  note?: string;
  published?: true;
}

export interface Chain {
  /** Title of the issue it was made for. */
  about: string;
  title: string;
  description?: string;
  filename: string;
  kind: "image" | "video" | "audio" | "pdf" | "html" | "file";
  mime: string;
  by: string;
  tags: string[];
  /** Width and height. */
  pixels?: [number, number];
  seconds?: number;
  kilobytes: number;
  versions: Version[];
}

/** The beginnings of chains, by what they are made of. */
export const png = { kind: "image", mime: "image/png" } as const;
export const webp = { kind: "image", mime: "image/webp" } as const;
export const mp4 = { kind: "video", mime: "video/mp4" } as const;
export const pdf = { kind: "pdf", mime: "application/pdf" } as const;
export const file = { kind: "file" } as const;

export const approved: Version = { review: "approved" };
export const published: Version = { review: "approved", published: true };
export const pending: Version = {};
export const rejected = (note: string): Version => ({ review: "rejected", note });
