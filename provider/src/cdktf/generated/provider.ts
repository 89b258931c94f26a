// generated from terraform resource schema

import { Construct } from 'constructs';
import * as cdktf from 'cdktf';
import { knownOptions, placeOf, type OptionNames } from '../options/options.js';

const KNOWN: OptionNames = { clientId: true, clientSecret: true, cloudUrl: true, stack: true, takeOwnership: true, tenant: true, alias: true };

// Configuration

export interface ServiceProviderConfig {
  /**
  * The id of the OAuth client to act as. Default: `SERVICE_CLIENT_ID`.
  */
  readonly clientId?: string;
  /**
  * The secret of that client. Default: `SERVICE_CLIENT_SECRET`.
  */
  readonly clientSecret?: string;
  /**
  * The base address of the cloud. Default: `SERVICE_CLOUD_URL`, or else `http://127.0.0.1:8080`.
  */
  readonly cloudUrl?: string;
  /**
  * The stack that owns what this configuration declares; two configurations on one tenant have two. Default: `terraform`.
  */
  readonly stack?: string;
  /**
  * Whether to take over records that exist already instead of refusing them: those of another stack, and those of this one that the state does not hold, which needs no consent where `stack` is given and they are no credentials.
  */
  readonly takeOwnership?: boolean | cdktf.IResolvable;
  /**
  * The tenant that this configuration is for, by name. Credentials of another one are refused then.
  */
  readonly tenant?: string;
  /**
  * Alias name
  */
  readonly alias?: string;
}

/**
* Represents a service
*/
export class ServiceProvider extends cdktf.TerraformProvider {

  // =================
  // STATIC PROPERTIES
  // =================
  public static readonly tfResourceType = "service";

  // ==============
  // STATIC Methods
  // ==============
  /**
  * Generates CDKTF code for importing a ServiceProvider resource upon running "cdktf plan <stack-name>"
  * @param scope The scope in which to define this construct
  * @param importToId The construct id used in the generated config for the ServiceProvider to import
  * @param importFromId The id of the existing ServiceProvider that should be imported. Refer to the import section in the documentation of this resource for the id to use
  * @param provider? Optional instance of the provider where the ServiceProvider to import is found
  */
  public static generateConfigForImport(scope: Construct, importToId: string, importFromId: string, provider?: cdktf.TerraformProvider) {
        return new cdktf.ImportableResource(scope, importToId, { terraformResourceType: "service", importId: importFromId, provider });
      }

  // ===========
  // INITIALIZER
  // ===========

  /**
  * Create a new service Resource
  *
  * @param scope The scope in which to define this construct
  * @param id The scoped construct ID. Must be unique amongst siblings in the same scope
  * @param options ServiceProviderConfig = {}
  */
  public constructor(scope: Construct, id: string, config: ServiceProviderConfig = {}) {
    knownOptions(placeOf(scope, id), config, KNOWN);
    super(scope, id, {
      terraformResourceType: 'service',
      terraformGeneratorMetadata: {
        providerName: 'service',
        providerVersion: '0.1.0',
        providerVersionConstraint: '~> 0.1'
      },
      terraformProviderSource: 'authz-service/service'
    });
    this._clientId = config.clientId;
    this._clientSecret = config.clientSecret;
    this._cloudUrl = config.cloudUrl;
    this._stack = config.stack;
    this._takeOwnership = config.takeOwnership;
    this._tenant = config.tenant;
    this._alias = config.alias;
  }

  // ==========
  // ATTRIBUTES
  // ==========

  // client_id - computed: false, optional: true, required: false
  private _clientId?: string;
  public get clientId() {
    return this._clientId;
  }
  public set clientId(value: string | undefined) {
    this._clientId = value;
  }
  public resetClientId() {
    this._clientId = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get clientIdInput() {
    return this._clientId;
  }

  // client_secret - computed: false, optional: true, required: false
  private _clientSecret?: string;
  public get clientSecret() {
    return this._clientSecret;
  }
  public set clientSecret(value: string | undefined) {
    this._clientSecret = value;
  }
  public resetClientSecret() {
    this._clientSecret = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get clientSecretInput() {
    return this._clientSecret;
  }

  // cloud_url - computed: false, optional: true, required: false
  private _cloudUrl?: string;
  public get cloudUrl() {
    return this._cloudUrl;
  }
  public set cloudUrl(value: string | undefined) {
    this._cloudUrl = value;
  }
  public resetCloudUrl() {
    this._cloudUrl = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get cloudUrlInput() {
    return this._cloudUrl;
  }

  // stack - computed: false, optional: true, required: false
  private _stack?: string;
  public get stack() {
    return this._stack;
  }
  public set stack(value: string | undefined) {
    this._stack = value;
  }
  public resetStack() {
    this._stack = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get stackInput() {
    return this._stack;
  }

  // take_ownership - computed: false, optional: true, required: false
  private _takeOwnership?: boolean | cdktf.IResolvable;
  public get takeOwnership() {
    return this._takeOwnership;
  }
  public set takeOwnership(value: boolean | cdktf.IResolvable | undefined) {
    this._takeOwnership = value;
  }
  public resetTakeOwnership() {
    this._takeOwnership = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get takeOwnershipInput() {
    return this._takeOwnership;
  }

  // tenant - computed: false, optional: true, required: false
  private _tenant?: string;
  public get tenant() {
    return this._tenant;
  }
  public set tenant(value: string | undefined) {
    this._tenant = value;
  }
  public resetTenant() {
    this._tenant = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get tenantInput() {
    return this._tenant;
  }

  // alias - computed: false, optional: true, required: false
  private _alias?: string;
  public get alias() {
    return this._alias;
  }
  public set alias(value: string | undefined) {
    this._alias = value;
  }
  public resetAlias() {
    this._alias = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get aliasInput() {
    return this._alias;
  }

  // =========
  // SYNTHESIS
  // =========

  protected synthesizeAttributes(): { [name: string]: any } {
    return {
      client_id: cdktf.stringToTerraform(this._clientId),
      client_secret: cdktf.stringToTerraform(this._clientSecret),
      cloud_url: cdktf.stringToTerraform(this._cloudUrl),
      stack: cdktf.stringToTerraform(this._stack),
      take_ownership: cdktf.booleanToTerraform(this._takeOwnership),
      tenant: cdktf.stringToTerraform(this._tenant),
      alias: cdktf.stringToTerraform(this._alias),
    };
  }

  protected synthesizeHclAttributes(): { [name: string]: any } {
    const attrs = {
      client_id: {
        value: cdktf.stringToHclTerraform(this._clientId),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      client_secret: {
        value: cdktf.stringToHclTerraform(this._clientSecret),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      cloud_url: {
        value: cdktf.stringToHclTerraform(this._cloudUrl),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      stack: {
        value: cdktf.stringToHclTerraform(this._stack),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      take_ownership: {
        value: cdktf.booleanToHclTerraform(this._takeOwnership),
        isBlock: false,
        type: "simple",
        storageClassType: "boolean",
      },
      tenant: {
        value: cdktf.stringToHclTerraform(this._tenant),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      alias: {
        value: cdktf.stringToHclTerraform(this._alias),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
    };

    // remove undefined attributes
    return Object.fromEntries(Object.entries(attrs).filter(([_, value]) => value !== undefined && value.value !== undefined ))
  }
}
