// generated from terraform resource schema

import { Construct } from 'constructs';
import * as cdktf from 'cdktf';
import { META_ARGUMENTS, knownOptions, placeOf, type OptionNames } from '../options/options.js';

const KNOWN: OptionNames = { ...META_ARGUMENTS, description: true, expiresAt: true, name: true, scopes: true, secretWo: true, secretWoVersion: true };

// Configuration

export interface ApiKeyConfig extends cdktf.TerraformMetaArguments {
  /**
  * A note for people.
  */
  readonly description?: string;
  /**
  * When this expires (RFC 3339).
  */
  readonly expiresAt?: string;
  /**
  * The name, unique in the tenant.
  */
  readonly name: string;
  /**
  * What the key may do. Any of `decisions`, `bundle`, `records:read`, `records:write`, `credentials`.
  */
  readonly scopes: ('decisions' | 'bundle' | 'records:read' | 'records:write' | 'credentials')[];
  /**
  * A secret of your own choosing, in place of one that the service makes. Write-only: it is in no plan and no state.
  */
  readonly secretWo?: string;
  /**
  * Goes with `secret_wo`: another number sends the secret anew, which replaces the former one.
  */
  readonly secretWoVersion?: number;
}

/**
* Represents a service_api_key
*/
export class ApiKey extends cdktf.TerraformResource {

  // =================
  // STATIC PROPERTIES
  // =================
  public static readonly tfResourceType = "service_api_key";

  // ==============
  // STATIC Methods
  // ==============
  /**
  * Generates CDKTF code for importing a ApiKey resource upon running "cdktf plan <stack-name>"
  * @param scope The scope in which to define this construct
  * @param importToId The construct id used in the generated config for the ApiKey to import
  * @param importFromId The id of the existing ApiKey that should be imported. Refer to the import section in the documentation of this resource for the id to use
  * @param provider? Optional instance of the provider where the ApiKey to import is found
  */
  public static generateConfigForImport(scope: Construct, importToId: string, importFromId: string, provider?: cdktf.TerraformProvider) {
        return new cdktf.ImportableResource(scope, importToId, { terraformResourceType: "service_api_key", importId: importFromId, provider });
      }

  // ===========
  // INITIALIZER
  // ===========

  /**
  * Create a new service_api_key Resource
  *
  * @param scope The scope in which to define this construct
  * @param id The scoped construct ID. Must be unique amongst siblings in the same scope
  * @param options ApiKeyConfig
  */
  public constructor(scope: Construct, id: string, config: ApiKeyConfig) {
    knownOptions(placeOf(scope, id), config, KNOWN);
    super(scope, id, {
      terraformResourceType: 'service_api_key',
      terraformGeneratorMetadata: {
        providerName: 'service',
        providerVersion: '0.1.0',
        providerVersionConstraint: '~> 0.1'
      },
      provider: config.provider,
      dependsOn: config.dependsOn,
      count: config.count,
      lifecycle: config.lifecycle,
      provisioners: config.provisioners,
      connection: config.connection,
      forEach: config.forEach
    });
    this._description = config.description;
    this._expiresAt = config.expiresAt;
    this._name = config.name;
    this._scopes = config.scopes;
    this._secretWo = config.secretWo;
    this._secretWoVersion = config.secretWoVersion;
  }

  // ==========
  // ATTRIBUTES
  // ==========

  // address - computed: true, optional: false, required: false
  public get address() {
    return this.getStringAttribute('address');
  }

  // description - computed: true, optional: true, required: false
  private _description?: string;
  public get description() {
    return this.getStringAttribute('description');
  }
  public set description(value: string) {
    this._description = value;
  }
  public resetDescription() {
    this._description = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get descriptionInput() {
    return this._description;
  }

  // expires_at - computed: false, optional: true, required: false
  private _expiresAt?: string;
  public get expiresAt() {
    return this.getStringAttribute('expires_at');
  }
  public set expiresAt(value: string) {
    this._expiresAt = value;
  }
  public resetExpiresAt() {
    this._expiresAt = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get expiresAtInput() {
    return this._expiresAt;
  }

  // id - computed: true, optional: false, required: false
  public get id() {
    return this.getStringAttribute('id');
  }

  // managed_by - computed: true, optional: false, required: false
  public get managedBy() {
    return this.getStringAttribute('managed_by');
  }

  // name - computed: false, optional: false, required: true
  private _name?: string;
  public get name() {
    return this.getStringAttribute('name');
  }
  public set name(value: string) {
    this._name = value;
  }
  // Temporarily expose input value. Use with caution.
  public get nameInput() {
    return this._name;
  }

  // path - computed: true, optional: false, required: false
  public get path() {
    return this.getStringAttribute('path');
  }

  // scopes - computed: false, optional: false, required: true
  private _scopes?: string[];
  public get scopes() {
    return cdktf.Fn.tolist(this.getListAttribute('scopes'));
  }
  public set scopes(value: string[]) {
    this._scopes = value;
  }
  // Temporarily expose input value. Use with caution.
  public get scopesInput() {
    return this._scopes;
  }

  // secret - computed: true, optional: false, required: false
  public get secret() {
    return this.getStringAttribute('secret');
  }

  // secret_wo - computed: false, optional: true, required: false
  private _secretWo?: string;
  public get secretWo() {
    return this.getStringAttribute('secret_wo');
  }
  public set secretWo(value: string) {
    this._secretWo = value;
  }
  public resetSecretWo() {
    this._secretWo = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get secretWoInput() {
    return this._secretWo;
  }

  // secret_wo_version - computed: false, optional: true, required: false
  private _secretWoVersion?: number;
  public get secretWoVersion() {
    return this.getNumberAttribute('secret_wo_version');
  }
  public set secretWoVersion(value: number) {
    this._secretWoVersion = value;
  }
  public resetSecretWoVersion() {
    this._secretWoVersion = undefined;
  }
  // Temporarily expose input value. Use with caution.
  public get secretWoVersionInput() {
    return this._secretWoVersion;
  }

  // =========
  // SYNTHESIS
  // =========

  protected synthesizeAttributes(): { [name: string]: any } {
    return {
      description: cdktf.stringToTerraform(this._description),
      expires_at: cdktf.stringToTerraform(this._expiresAt),
      name: cdktf.stringToTerraform(this._name),
      scopes: cdktf.listMapper(cdktf.stringToTerraform, false)(this._scopes),
      secret_wo: cdktf.stringToTerraform(this._secretWo),
      secret_wo_version: cdktf.numberToTerraform(this._secretWoVersion),
    };
  }

  protected synthesizeHclAttributes(): { [name: string]: any } {
    const attrs = {
      description: {
        value: cdktf.stringToHclTerraform(this._description),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      expires_at: {
        value: cdktf.stringToHclTerraform(this._expiresAt),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      name: {
        value: cdktf.stringToHclTerraform(this._name),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      scopes: {
        value: cdktf.listMapperHcl(cdktf.stringToHclTerraform, false)(this._scopes),
        isBlock: false,
        type: "set",
        storageClassType: "stringList",
      },
      secret_wo: {
        value: cdktf.stringToHclTerraform(this._secretWo),
        isBlock: false,
        type: "simple",
        storageClassType: "string",
      },
      secret_wo_version: {
        value: cdktf.numberToHclTerraform(this._secretWoVersion),
        isBlock: false,
        type: "simple",
        storageClassType: "number",
      },
    };

    // remove undefined attributes
    return Object.fromEntries(Object.entries(attrs).filter(([_, value]) => value !== undefined && value.value !== undefined ))
  }
}
