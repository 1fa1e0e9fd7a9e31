// SPDX-License-Identifier: GPL-2.0-or-later
/* Files to GnuTLS's credentials. */
#include <errno.h>
#include <gnutls/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dtls.h"

/* DTLS 1.2, a fresh Diffie-Hellman key for each connection, and authenticated encryption only */
#define COMMON	"NONE:+VERS-DTLS1.2:+CHACHA20-POLY1305:+AES-256-GCM:+AES-128-GCM:+AEAD:" \
		"+COMP-NULL:+GROUP-X25519:+GROUP-SECP256R1:+GROUP-SECP384R1:+SIGN-ALL:+CTYPE-X509:"
#define WITH_PSK	COMMON "+ECDHE-PSK"
#define WITH_CERT	COMMON "+ECDHE-ECDSA:+ECDHE-RSA:%PROFILE_MEDIUM"

static int wrong(char *why, const char *expected)
{
	snprintf(why, FSTREAM_WHY_MAX, "expected %s", expected);
	return -EINVAL;
}

/* An error of GnuTLS about a file. */
static int of_file(char *why, const char *path, int err, const char *expected)
{
	snprintf(why, FSTREAM_WHY_MAX, "%s: expected %s: %s", path, expected, gnutls_strerror(err));
	return err == GNUTLS_E_MEMORY_ERROR ? -ENOMEM : -EINVAL;
}

/* Finds the key of a client. An unknown identity ends the handshake. */
static int find_key(gnutls_session_t tls, const gnutls_datum_t *identity, gnutls_datum_t *key)
{
	const struct fstream_dtls *dtls = gnutls_session_get_ptr(tls);
	const struct fstream_psk *psk;

	psk = fstream_psk_find(&dtls->psks, identity->data, identity->size);
	if (!psk)
		return -1;
	key->data = gnutls_malloc(psk->len);
	if (!key->data)
		return -1;
	memcpy(key->data, psk->key, psk->len);
	key->size = psk->len;
	return 0;
}

static int use_psk(struct fstream_dtls *dtls, const char *path, char *why)
{
	gnutls_datum_t identity, key;
	int err = fstream_psk_read(&dtls->psks, path, why);

	if (err)
		return err;
	if (dtls->server) {
		if (gnutls_psk_allocate_server_credentials(&dtls->psk_server))
			return -ENOMEM;
		gnutls_psk_set_server_credentials_function2(dtls->psk_server, find_key);
		return 0;
	}
	identity = (gnutls_datum_t){ (unsigned char *)dtls->psks.psk->identity,
				     strlen(dtls->psks.psk->identity) };
	key = (gnutls_datum_t){ dtls->psks.psk->key, dtls->psks.psk->len };
	if (gnutls_psk_allocate_client_credentials(&dtls->psk_client) ||
	    gnutls_psk_set_client_credentials2(dtls->psk_client, &identity, &key,
					       GNUTLS_PSK_KEY_RAW))
		return -ENOMEM;
	return 0;
}

static int check_readable(const char *path, char *why)
{
	int err = path && access(path, R_OK) ? -errno : 0;

	if (err)
		snprintf(why, FSTREAM_WHY_MAX, "%s: %s", path, strerror(-err));
	return err;
}

/* Loads the certificate of this end, and the authorities. */
static int load(struct fstream_dtls *dtls, const struct fstream_dtls_config *config, char *why)
{
	int n;

	if (gnutls_certificate_allocate_credentials(&dtls->cert))
		return -ENOMEM;
	if (config->cert) {
		n = gnutls_certificate_set_x509_key_file(dtls->cert, config->cert, config->key,
							 GNUTLS_X509_FMT_PEM);
		if (n < 0)
			return of_file(why, config->cert, n, "a certificate as PEM, and its key");
	}
	if (config->ca) {
		n = gnutls_certificate_set_x509_trust_file(dtls->cert, config->ca,
							   GNUTLS_X509_FMT_PEM);
		if (n <= 0)
			return of_file(why, config->ca, n ? n : GNUTLS_E_NO_CERTIFICATE_FOUND,
				       "certificates as PEM");
	}
	return 0;
}

/* A certificate has to be made for the peer's side, and a server's has to name the host. */
static void set_verification(struct fstream_dtls *dtls, const struct fstream_dtls_config *config)
{
	dtls->asks = dtls->server && config->ca;
	dtls->verify[0].type = GNUTLS_DT_KEY_PURPOSE_OID;
	dtls->verify[0].data = (void *)(dtls->server ? GNUTLS_KP_TLS_WWW_CLIENT :
						       GNUTLS_KP_TLS_WWW_SERVER);
	dtls->verify[1].type = GNUTLS_DT_DNS_HOSTNAME;
	dtls->verify[1].data = (void *)dtls->host;
}

static int use_cert(struct fstream_dtls *dtls, const struct fstream_dtls_config *config, char *why)
{
	int err;

	if (!config->cert != !config->key)
		return wrong(why, "a certificate together with its key");
	if (dtls->server && !config->cert)
		return wrong(why, "pre-shared keys, or a certificate and its key");
	if (!dtls->server && !config->ca)
		return wrong(why, "pre-shared keys, or authorities for the receiver's certificate");
	if (!dtls->server && !config->host)
		return wrong(why, "the name or address that the peer's certificate has to have");
	err = check_readable(config->cert, why);
	if (!err)
		err = check_readable(config->ca, why);
	if (!err && config->key)
		err = fstream_secret_check(config->key, why);
	if (err)
		return err;
	set_verification(dtls, config);
	return load(dtls, config, why);
}

static int use_keys(struct fstream_dtls *dtls, const struct fstream_dtls_config *config, char *why)
{
	bool has_cert = config->cert || config->key || config->ca;

	if (config->host) {
		dtls->host = strdup(config->host);
		if (!dtls->host)
			return -ENOMEM;
	}
	if (gnutls_priority_init(&dtls->priority, config->psk ? WITH_PSK : WITH_CERT, NULL))
		return -ENOMEM;
	if (config->psk && has_cert)
		return wrong(why, "either pre-shared keys or certificates");
	return config->psk ? use_psk(dtls, config->psk, why) : use_cert(dtls, config, why);
}

int fstream_dtls_new(const struct fstream_dtls_config *config, struct fstream_dtls **dtls,
		     char *why)
{
	struct fstream_dtls *new = calloc(1, sizeof(*new));
	char unused[FSTREAM_WHY_MAX];
	int err;

	if (!why)
		why = unused;
	snprintf(why, FSTREAM_WHY_MAX, "no memory is left");
	if (!new)
		return -ENOMEM;
	new->server = config->server;
	err = use_keys(new, config, why);
	if (err) {
		fstream_dtls_free(new);
		return err;
	}
	*dtls = new;
	return 0;
}

void fstream_dtls_free(struct fstream_dtls *dtls)
{
	if (!dtls)
		return;
	if (dtls->psk_server)
		gnutls_psk_free_server_credentials(dtls->psk_server);
	if (dtls->psk_client)
		gnutls_psk_free_client_credentials(dtls->psk_client);
	if (dtls->cert)
		gnutls_certificate_free_credentials(dtls->cert);
	if (dtls->priority)
		gnutls_priority_deinit(dtls->priority);
	fstream_psk_free(&dtls->psks);
	free(dtls->host);
	free(dtls);
}

int fstream_dtls_apply(struct fstream_dtls *dtls, gnutls_session_t tls)
{
	gnutls_session_set_ptr(tls, dtls);
	if (dtls->asks)
		gnutls_certificate_server_set_request(tls, GNUTLS_CERT_REQUIRE);
	if (dtls->cert && (dtls->asks || !dtls->server))
		gnutls_session_set_verify_cert2(tls, dtls->verify, dtls->server ? 1 : 2, 0);
	if (dtls->psk_server && gnutls_credentials_set(tls, GNUTLS_CRD_PSK, dtls->psk_server))
		return GNUTLS_E_MEMORY_ERROR;
	if (dtls->psk_client && gnutls_credentials_set(tls, GNUTLS_CRD_PSK, dtls->psk_client))
		return GNUTLS_E_MEMORY_ERROR;
	if (dtls->cert && gnutls_credentials_set(tls, GNUTLS_CRD_CERTIFICATE, dtls->cert))
		return GNUTLS_E_MEMORY_ERROR;
	return gnutls_priority_set(tls, dtls->priority);
}
