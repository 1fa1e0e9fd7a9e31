/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys and certificates for the tests of encryption, in a folder of their own. */
#ifndef DCCP_DTLS_FILES_H
#define DCCP_DTLS_FILES_H

#include <dirent.h>
#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HOUR	3600

static char folder[] = "/tmp/dtls.XXXXXX";

/* The path of a file in the folder; the last eight stay valid. */
static inline const char *file_path(const char *name)
{
	static char paths[8][128];
	static unsigned int next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static inline bool file_write(const char *name, const void *data, size_t len, mode_t mode)
{
	const char *path = file_path(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool done = fd >= 0 && write(fd, data, len) == (ssize_t)len && !fchmod(fd, mode);

	if (fd >= 0)
		close(fd);
	return done;
}

static inline bool file_text(const char *name, const char *text, mode_t mode)
{
	return file_write(name, text, strlen(text), mode);
}

/* Removes the folder and its files. */
static inline bool remove_files(void)
{
	DIR *dir = opendir(folder);
	struct dirent *file;

	while (dir && (file = readdir(dir)))
		if (file->d_name[0] != '.')
			unlinkat(dirfd(dir), file->d_name, 0);
	if (dir)
		closedir(dir);
	return !rmdir(folder);
}

/**
 * struct authority - who signs certificates
 * @key: private key
 * @crt: certificate
 */
struct authority {
	gnutls_x509_privkey_t key;
	gnutls_x509_crt_t crt;
};

static inline bool make_key(gnutls_x509_privkey_t *key)
{
	return !gnutls_x509_privkey_init(key) &&
	       !gnutls_x509_privkey_generate(*key, GNUTLS_PK_ECDSA,
					     GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
}

/* A certificate that ends at a time from now, not signed yet. */
static inline bool make_crt(gnutls_x509_crt_t *crt, gnutls_x509_privkey_t key, const char *name,
			    int ends)
{
	static unsigned char serial;

	serial++;
	return !gnutls_x509_crt_init(crt) && !gnutls_x509_crt_set_version(*crt, 3) &&
	       !gnutls_x509_crt_set_serial(*crt, &serial, 1) &&
	       !gnutls_x509_crt_set_activation_time(*crt, time(NULL) - 24 * HOUR) &&
	       !gnutls_x509_crt_set_expiration_time(*crt, time(NULL) + ends) &&
	       !gnutls_x509_crt_set_dn_by_oid(*crt, GNUTLS_OID_X520_COMMON_NAME, 0, name,
					      strlen(name)) &&
	       !gnutls_x509_crt_set_key(*crt, key);
}

static inline bool save_crt(gnutls_x509_crt_t crt, const char *name)
{
	gnutls_datum_t pem;
	bool done;

	if (gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_PEM, &pem))
		return false;
	done = file_write(name, pem.data, pem.size, 0644);
	gnutls_free(pem.data);
	return done;
}

static inline bool save_key(gnutls_x509_privkey_t key, const char *name)
{
	gnutls_datum_t pem;
	bool done;

	if (gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, &pem))
		return false;
	done = file_write(name, pem.data, pem.size, 0600);
	gnutls_free(pem.data);
	return done;
}

/* Makes an authority and saves its certificate. */
static inline bool make_authority(struct authority *ca, const char *name)
{
	return make_key(&ca->key) && make_crt(&ca->crt, ca->key, name, HOUR) &&
	       !gnutls_x509_crt_set_ca_status(ca->crt, 1) &&
	       !gnutls_x509_crt_set_key_usage(ca->crt, GNUTLS_KEY_KEY_CERT_SIGN) &&
	       !gnutls_x509_crt_sign2(ca->crt, ca->crt, ca->key, GNUTLS_DIG_SHA256, 0) &&
	       save_crt(ca->crt, name);
}

static inline void free_authority(struct authority *ca)
{
	gnutls_x509_crt_deinit(ca->crt);
	gnutls_x509_privkey_deinit(ca->key);
}

/* Makes a certificate for 127.0.0.1 and saves it as @name.crt, and its key as @name.key. */
static inline bool make_end(const struct authority *ca, const char *name, const char *purpose,
			    int ends)
{
	static const unsigned char address[4] = { 127, 0, 0, 1 };
	gnutls_x509_privkey_t key = NULL;
	gnutls_x509_crt_t crt = NULL;
	char file[64];
	bool done = make_key(&key) && make_crt(&crt, key, name, ends) &&
		    !gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_IPADDRESS, address,
							  sizeof(address), 0) &&
		    !gnutls_x509_crt_set_key_purpose_oid(crt, purpose, 0) &&
		    !gnutls_x509_crt_sign2(crt, ca->crt, ca->key, GNUTLS_DIG_SHA256, 0);

	snprintf(file, sizeof(file), "%s.crt", name);
	done = done && save_crt(crt, file);
	snprintf(file, sizeof(file), "%s.key", name);
	done = done && save_key(key, file);
	gnutls_x509_crt_deinit(crt);
	gnutls_x509_privkey_deinit(key);
	return done;
}

#endif
