export { type CertificateCase, certificateCases, HOSTS, selfSigned } from './certificate-cases.js';
