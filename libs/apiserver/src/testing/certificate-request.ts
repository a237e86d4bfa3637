const PEM = `-----BEGIN CERTIFICATE REQUEST-----
MIGOMEICAQAwDzENMAsGA1UEAwwEdXNlcjAqMAUGAytlcAMhAMwEZiL9ogJBSn6E
P5YsatJ3OkbstCYgiEzM3isMmknZoAAwBQYDK2VwA0EAatq7Q/CvRzvaczXTzrTL
JIy4JUuQyXqae8fIGdfOPeuhJB7hCFhWLlkqkwo9WofxP9lTspwkCdBOguz2KU0m
CA==
-----END CERTIFICATE REQUEST-----
`;

/** A certificate request, signed with a key that nobody has any more, as the API takes it. */
export const CERTIFICATE_REQUEST = Buffer.from(PEM).toString('base64');
