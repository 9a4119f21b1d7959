/** A Markdown comment in HTML syntax, which GitHub, GitLab and Gitea keep but do not show. */
export const htmlMark = (marker: string): string => `<!-- svc:${marker} -->`;
